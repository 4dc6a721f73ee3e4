//! The harnesses of `docs/suite.md`, run with an engine that knows all values, and with one that
//! has a fault.

#![cfg(unix)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use shakmaty::{Piece, Role};
use swaplist::{CaptureKind, PieceValues, Position, Rules};
use swaplist_files::suite::{Fault, Line, lines};

use crate::run::Folder;

const DOCS: &str = include_str!("../../docs/suite.md");

/// The block of a language in the docs.
fn block(language: &str) -> &str {
    let begins = format!("```{language}\n");
    let (_, rest) = DOCS.split_once(&begins).expect("a block of this language");
    rest.split_once("\n```").expect("the block ends").0
}

/// What an engine says that a line's move is worth.
type Engine = fn(&Line<'_>) -> i32;

fn right(line: &Line<'_>) -> i32 {
    Rules::SWAP.see(&line.position, line.played)
}

/// The victim of en passant stays on the board. The pawn that is taken in its place is worth as much.
fn leaving_victims(line: &Line<'_>) -> i32 {
    if line.position.takes(line.played) != CaptureKind::EnPassant {
        return right(line);
    }
    let mut setup = line.position.to_setup();
    setup.ep_square = None;
    let color = !setup.turn;
    let role = Role::Pawn;
    let taken = Piece { color, role };
    setup.board.set_piece_at(line.played.to(), taken);
    Rules::SWAP.see(&Position::try_from(&setup).unwrap(), line.played)
}

/// A folder with the suite, and with an engine's values as lines `FEN | move | value`.
fn folder(engine: Engine) -> Folder {
    let mut known = String::new();
    for line in lines() {
        let value = engine(&line);
        writeln!(known, "{} | {} | {value}", line.fen, line.uci).unwrap();
    }
    let folder = Folder::new();
    folder.write("see-suite.txt", swaplist::SUITE);
    folder.write("known.txt", known);
    folder
}

/// Runs a program in the folder.
fn run(folder: &Folder, program: &str, args: &[&str]) -> Output {
    let output = Command::new(program)
        .args(args)
        .current_dir(folder.path("."))
        .output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {stderr}");
    output
}

/// Runs a harness with a right engine and with a faulty one. `build` returns the program and its
/// argument.
fn try_harness(build: impl Fn(&Folder) -> (String, Vec<&'static str>)) {
    let fault: Fault = "EnPassantVictimStays".parse().unwrap();
    let folder = folder(right);
    let (program, args) = build(&folder);
    let passed = run(&folder, &program, &args);
    assert_eq!(passed.stderr, b"");
    assert_eq!(passed.stdout, own_results(right));
    let other = self::folder(leaving_victims);
    folder.write("known.txt", other.read("known.txt"));
    let failed = run(&folder, &program, &args);
    let stderr = String::from_utf8(failed.stderr).unwrap();
    assert!(stderr.lines().count() >= 3, "{stderr}");
    assert!(
        stderr
            .lines()
            .all(|line| line.starts_with("FAIL, ") && line.contains(" en passant: "))
    );
    // The command knows what is wrong.
    folder.write("results.txt", failed.stdout);
    let args = ["check", "--suite", "results.txt", "--profile", "swap"];
    let check = folder.command(&args).output().unwrap();
    let text = String::from_utf8(check.stdout).unwrap();
    let named = format!("  fault       {fault}\n");
    assert!(text.contains(&named), "{text}");
    assert_eq!(check.status.code(), Some(1));
}

fn own_results(engine: Engine) -> Vec<u8> {
    let mut text = String::new();
    for line in lines() {
        writeln!(text, "{}", engine(&line)).unwrap();
    }
    text.into_bytes()
}

#[test]
fn the_harness_in_cpp() {
    try_harness(|folder| {
        let engine = "
int see(const std::string &fen, const std::string &move) {
    std::ifstream known(\"known.txt\");
    std::string begins = fen + \" | \" + move + \" | \";
    for (std::string line; std::getline(known, line);)
        if (line.compare(0, begins.size(), begins) == 0) return std::stoi(line.substr(begins.size()));
    std::abort();
}
";
        let code = format!("#include <cstdlib>\n{}\n{engine}", block("cpp"));
        folder.write("harness.cpp", code);
        let args = ["-std=c++17", "-Wall", "harness.cpp", "-o", "harness"];
        run(folder, "c++", &args);
        (program(&folder.path("harness")), Vec::new())
    });
}

#[test]
fn the_harness_in_rust() {
    try_harness(|folder| {
        let engine = "
fn see(fen: &str, played: &str) -> i32 {
    let known = std::fs::read_to_string(\"known.txt\").unwrap();
    let begins = format!(\"{fen} | {played} | \");
    known.lines().find_map(|line| line.strip_prefix(&begins)).unwrap().parse().unwrap()
}
";
        folder.write("harness.rs", block("rust,ignore").to_owned() + engine);
        run(folder, "rustc", &["--edition=2024", "harness.rs"]);
        (program(&folder.path("harness")), Vec::new())
    });
}

#[test]
fn the_harness_in_python() {
    try_harness(|folder| {
        let engine = "\
def see(fen, move):
    begins = f\"{fen} | {move} | \"
    for line in open(\"known.txt\"):
        if line.startswith(begins):
            return int(line[len(begins):])

";
        folder.write("harness.py", engine.to_owned() + block("python"));
        ("python3".to_owned(), vec!["harness.py"])
    });
}

fn program(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The initialisers are code: with an engine's values, or with constants of these names.
#[test]
fn the_initialisers_compile() {
    let folder = Folder::new();
    for values in [&[][..], &["--values", "cpw"]] {
        for (form, file) in [("cpp", "suite.h"), ("rust", "suite.rs")] {
            let args = [&["suite", "--to", form][..], values].concat();
            folder.write(file, folder.command(&args).output().unwrap().stdout);
        }
        let sum = "sum += test.swap + 2 * test.sf8 + 3 * test.sf + 4 * test.legal";
        folder.write(
            "both.cpp",
            format!(
                "#include <cstdio>\nconst int P = 100, N = 325, B = 325, R = 500, Q = 1000;\n\
                 #include \"suite.h\"\nint main() {{ int sum = P + N + B + R + Q - 2250; \
                 for (auto &test : SEE_SUITE) {sum}; std::printf(\"%d\\n\", sum); }}\n"
            ),
        );
        folder.write(
            "both.rs",
            "#![allow(dead_code)]\nconst P: i32 = 100; const N: i32 = 325; const B: i32 = 325;\n\
             const R: i32 = 500; const Q: i32 = 1000;\ninclude!(\"suite.rs\");\nfn main() { \
             let sum: i32 = SEE_SUITE.iter().map(|t| t.2 + 2 * t.3 + 3 * t.4 + 4 * t.5).sum(); \
             println!(\"{sum}\"); }\n",
        );
        run(
            &folder,
            "c++",
            &["-std=c++17", "both.cpp", "-o", "both_cpp"],
        );
        run(
            &folder,
            "rustc",
            &["--edition=2024", "both.rs", "-o", "both_rs"],
        );
        let weighted = |line: &swaplist_files::suite::Line<'_>| -> i32 {
            (1..)
                .zip(line.sums)
                .map(|(weight, sum)| weight * sum.at(&PieceValues::CPW))
                .sum()
        };
        let expected: i32 = lines().iter().map(weighted).sum();
        for name in ["both_cpp", "both_rs"] {
            let output = run(&folder, &program(&folder.path(name)), &[]);
            assert_eq!(
                String::from_utf8(output.stdout).unwrap(),
                format!("{expected}\n")
            );
        }
    }
}
