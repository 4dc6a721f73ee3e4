//! Twins: functions of the shaders that a Rust file has under the same name.
//!
//! The head of a WGSL file lists them: `// Twin: FILE, with the same names for a, b, c.` What is
//! listed must be all that both files have in common: a function that is renamed on one side only
//! is found here, and so is a new pair that the list does not name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A Rust file that a shader's head names as a twin, with the functions that it lists.
struct Twin {
    rust_file: String,
    listed: BTreeSet<String>,
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The folders of shaders of both crates.
const FOLDERS: [&str; 2] = ["shaders", "files/shaders"];

/// The names of all WGSL files in a folder.
fn shaders(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = fs::read_dir(root.join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| {
            Path::new(name)
                .extension()
                .is_some_and(|extension| extension == "wgsl")
        })
        .collect();
    names.sort();
    names
}

/// The comment at the beginning of a shader, its lines joined by spaces.
fn head(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//"));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The names of the functions that a text defines: words after `fn`.
fn functions(text: &str) -> BTreeSet<String> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("fn ").skip(1))
        .map(|rest| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            rest.chars().take_while(|&c| is_part(c)).collect()
        })
        .filter(|name: &String| !name.is_empty())
        .collect()
}

/// The twins that a head lists.
fn twins(head: &str) -> Vec<Twin> {
    head.split("Twin: ")
        .skip(1)
        .map(|claim| {
            let form = "a claim is 'Twin: FILE, with the same names for a, b, c.'";
            let (rust_file, rest) = claim.split_once(", with the same names for ").expect(form);
            let (names, _) = rest.split_once('.').expect(form);
            Twin {
                rust_file: rust_file.to_owned(),
                listed: names.split(", ").map(str::to_owned).collect(),
            }
        })
        .collect()
}

/// What is wrong with the claims of a shader's head.
fn wrong_claims(shader: &str) -> Vec<String> {
    let in_shader = functions(shader);
    let mut wrong = Vec::new();
    for twin in twins(&head(shader)) {
        let in_rust = functions(&read(&twin.rust_file));
        let common: BTreeSet<String> = in_shader.intersection(&in_rust).cloned().collect();
        if twin.listed != common {
            wrong.push(format!(
                "{}: the head lists {:?}, both have {common:?}",
                twin.rust_file, twin.listed
            ));
        }
    }
    wrong
}

#[test]
fn twins_have_the_names_that_heads_list() {
    let mut names = 0;
    for folder in FOLDERS {
        for file in shaders(folder) {
            let shader = read(&format!("{folder}/{file}"));
            let wrong = wrong_claims(&shader);
            assert!(wrong.is_empty(), "{file}: {wrong:#?}");
            let listed = twins(&head(&shader));
            names += listed.iter().map(|twin| twin.listed.len()).sum::<usize>();
        }
    }
    assert!(names >= 45, "only {names} names are listed");
}

#[test]
fn wrong_claims_are_found() {
    let shader = |names: &str| {
        format!(
            "// Twin: src/exchange/pins.rs, with the same names for {names}.\n\
             fn barred() {{}}\nfn static_pins() {{}}\n"
        )
    };
    assert!(wrong_claims(&shader("barred, static_pins")).is_empty());
    // One that neither has, and one that both have and the head does not list.
    assert_eq!(wrong_claims(&shader("barred, static_pins, stand")).len(), 1);
    assert_eq!(wrong_claims(&shader("barred")).len(), 1);
}

/// The table in the README.md of a folder has a row for every file, and the file's head names what
/// the row does.
#[test]
fn the_readme_and_the_heads_name_the_same_files() {
    for folder in FOLDERS {
        names_the_same_files(folder);
    }
}

fn names_the_same_files(folder: &str) {
    let readme = read(&format!("{folder}/README.md"));
    for file in shaders(folder) {
        let start = format!("| `{file}` |");
        let row = readme
            .lines()
            .find(|line| line.starts_with(&start))
            .unwrap_or_else(|| panic!("{folder}/README.md has no row for {file}"));
        let head = head(&read(&format!("{folder}/{file}")));
        let in_row: Vec<&str> = row
            .split('`')
            .filter(|part| part.starts_with("src/") || part.starts_with("files/src/"))
            .collect();
        for path in &in_row {
            assert!(
                head.contains(path),
                "the head of {file} does not name {path}"
            );
            read(path);
        }
        for twin in twins(&head) {
            assert!(
                in_row.contains(&twin.rust_file.as_str()),
                "{folder}/README.md does not name {} beside {file}",
                twin.rust_file
            );
        }
    }
}
