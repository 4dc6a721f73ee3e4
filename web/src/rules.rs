//! The rules of a SEE, as the page sends them.

use serde::Deserialize;
use swaplist::{PieceValues, Profile, Rules};

use crate::{Answer, Failure};

/// The rules of a SEE.
#[derive(Deserialize)]
pub struct RulesOf {
    pub profile: String,
    pub values: String,
}

impl RulesOf {
    pub fn values(&self) -> Answer<PieceValues> {
        let values = self.values.parse();
        values.map_err(|error| Failure::new("values", error))
    }

    pub fn rules(&self) -> Answer<Rules> {
        let profile: Profile = self
            .profile
            .parse()
            .map_err(|error| Failure::new("rules", error))?;
        Ok(Rules::new(profile, self.values()?))
    }
}
