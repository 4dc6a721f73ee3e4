//! The layouts and constants shared with the shader, by reflection.
