//! The floors of each library: a module uses those below it alone, and no modules use each other in a
//! circle. (That the core uses nothing of files, Cargo keeps.) Paths are read as the compiler reads
//! them, so one that is written out in a function counts as much as a `use`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A library of this workspace.
struct Library {
    sources: &'static str,
    /// The modules of its root, from the ground up. One may use those before it.
    floors: &'static [&'static str],
    /// Modules that know one above them.
    exceptions: &'static [(&'static str, &'static str)],
    /// It has more uses than these of one module by another.
    uses: usize,
}

const CORE: Library = Library {
    sources: "src",
    floors: &[
        "error",
        "choices",
        "locks",
        "values",
        "rules",
        "attacks",
        "packed_move",
        "position",
        "fen",
        "notation",
        "batch",
        "exchange",
        "captures",
        "verdict",
        "quiescence",
        "simd",
        "boards",
        "backend",
        "gpu/program",
        "gpu/native",
        "gpu",
        "evaluator",
        "explain",
        "lib",
    ],
    exceptions: &[],
    uses: 160,
};

const FILES: Library = Library {
    sources: "files/src",
    floors: &[
        "locks", "packed", "stages", "ordered", "random", "notation", "formats", "report",
        "pasted", "filter", "device", "suite", "check", "explain", "jobs", "mix", "blocks", "lib",
    ],
    exceptions: &[],
    uses: 130,
};

/// A module by the names on the way to it; the root has none.
type Module = Vec<String>;

#[test]
fn modules_use_those_below_them() {
    for library in [CORE, FILES] {
        uses_those_below(&library);
    }
}

#[test]
fn no_modules_use_each_other_in_a_circle() {
    for library in [CORE, FILES] {
        has_no_circle(&library);
    }
}

fn uses_those_below(library: &Library) {
    let dependencies = all_dependencies(library.sources);
    let floor = |room: &str| {
        let found = library.floors.iter().position(|floor| *floor == room);
        found.unwrap_or_else(|| panic!("{room} is on no floor"))
    };
    let mut wrong = BTreeSet::new();
    let mut seen = 0;
    for (user, used) in &dependencies {
        for used in used {
            let from = room(user);
            let to = room(used);
            seen += usize::from(from != to);
            let is_known = library.exceptions.contains(&(from.as_str(), to.as_str()));
            if floor(&from) < floor(&to) && !is_known {
                let user = user.join("/");
                wrong.insert(format!("{user} uses {to}, which is above it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        seen > library.uses,
        "only {seen} uses were found: this test is blind"
    );
}

fn has_no_circle(library: &Library) {
    let mut dependencies = all_dependencies(library.sources);
    for (user, used) in &mut dependencies {
        // A module and the files that it is made of belong together.
        used.retain(|used| !used.starts_with(user) && !user.starts_with(used));
    }
    for &(from, to) in library.exceptions {
        for (user, used) in &mut dependencies {
            used.retain(|used| room(user) != from || room(used) != to);
        }
    }
    // What uses nothing, or only what uses nothing, and so on, is in no circle.
    loop {
        let all: BTreeSet<Module> = dependencies.keys().cloned().collect();
        let before = dependencies.len();
        dependencies.retain(|_, used| used.iter().any(|used| all.contains(used)));
        if dependencies.len() == before {
            break;
        }
    }
    // What is left is in a circle, or uses one. The latter is used by nobody, or by such alone.
    loop {
        let used: BTreeSet<Module> = dependencies.values().flatten().cloned().collect();
        let before = dependencies.len();
        dependencies.retain(|user, _| used.contains(user));
        if dependencies.len() == before {
            break;
        }
    }
    let circles: Vec<String> = dependencies
        .iter()
        .map(|(user, used)| {
            let used: Vec<String> = used
                .iter()
                .filter(|used| dependencies.contains_key(*used))
                .map(|used| used.join("/"))
                .collect();
            format!("{} uses {}", user.join("/"), used.join(", "))
        })
        .collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

/// The floor's name of a module.
fn room(module: &[String]) -> String {
    match module {
        [] => "lib".to_owned(),
        [gpu, half, ..] if gpu == "gpu" => format!("gpu/{half}"),
        [room, ..] => room.clone(),
    }
}

/// The modules that each module of the library uses.
fn all_dependencies(sources: &str) -> BTreeMap<Module, BTreeSet<Module>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(sources);
    let mut files = BTreeMap::new();
    read_files(&root, &mut Vec::new(), &mut files);
    let modules: BTreeSet<Module> = files.keys().cloned().collect();
    let mut exports = BTreeMap::new();
    let mut dependencies = BTreeMap::new();
    // The root comes first, so that what it exports is known.
    for (module, file) in &files {
        let mut paths = Paths {
            module: module.clone(),
            found: Vec::new(),
        };
        paths.visit_file(file);
        if module.is_empty() {
            for path in &paths.found {
                if let Some(name) = path.last() {
                    exports.insert(name.clone(), path.clone());
                }
            }
        }
        let modules_of = |path: &Module| {
            let path = match path.first().and_then(|name| exports.get(name)) {
                Some(exported) if !modules.contains(&path[..1]) => exported,
                _ => path,
            };
            let lengths = (0..=path.len()).rev();
            let mut prefixes = lengths.map(|length| path[..length].to_vec());
            prefixes.find(|prefix| modules.contains(prefix))
        };
        let named: BTreeSet<Module> = paths.found.iter().filter_map(modules_of).collect();
        let used = named
            .into_iter()
            .filter(|used| used != module && !used.is_empty());
        dependencies.insert(module.clone(), used.collect());
    }
    dependencies
}

fn read_files(folder: &Path, at: &mut Module, into: &mut BTreeMap<Module, syn::File>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            at.push(name);
            read_files(&path, at, into);
            at.pop();
        } else {
            let mut module = at.clone();
            if name != "lib" {
                module.push(name);
            }
            let text = std::fs::read_to_string(&path).unwrap();
            into.insert(module, syn::parse_file(&text).unwrap());
        }
    }
}

/// The paths in a file, from the root of the library.
struct Paths {
    /// The module of the code that is visited.
    module: Module,
    found: Vec<Module>,
}

impl Paths {
    /// Adds a path as it is written.
    fn add(&mut self, written: &[String]) {
        let mut base = match written.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            _ => self.module.clone(),
        };
        let mut rest = written;
        while let [first, after @ ..] = rest {
            match first.as_str() {
                "crate" | "self" => {}
                "super" => {
                    base.pop();
                }
                _ => break,
            }
            rest = after;
        }
        base.extend_from_slice(rest);
        self.found.push(base);
    }

    fn add_tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(tree, before);
                }
            }
            syn::UseTree::Name(syn::UseName { ident })
            | syn::UseTree::Rename(syn::UseRename { ident, .. }) => {
                before.push(ident.to_string());
                self.add(before);
                before.pop();
            }
            syn::UseTree::Glob(_) => self.add(before),
        }
    }

    /// Adds the paths of a macro's text.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut goes_on = false;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if !goes_on {
                        self.add_from_macro(&path);
                        path.clear();
                    }
                    path.push(ident.to_string());
                    goes_on = false;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => goes_on = true,
                TokenTree::Group(group) => {
                    goes_on = false;
                    self.add_tokens(group.stream());
                }
                _ => goes_on = false,
            }
        }
        self.add_from_macro(&path);
    }

    fn add_from_macro(&mut self, path: &[String]) {
        let first = path.first().map(String::as_str);
        if path.len() > 1 && matches!(first, Some("crate" | "super" | "self")) {
            self.add(path);
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        // One with a body has names of its own.
        if module.content.is_some() {
            self.module.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|one| one.ident.to_string())
            .collect();
        self.add(&names);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, one: &'ast syn::Macro) {
        self.add_tokens(one.tokens.clone());
        visit::visit_macro(self, one);
    }

    // A visibility is no use.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}
