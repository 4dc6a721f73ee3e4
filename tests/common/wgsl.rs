//! Shaders' text, as naga reads it.

use swaplist::gpu::wgpu::naga::{self, Module, TypeInner};

pub fn parsed(text: &str) -> Module {
    naga::front::wgsl::parse_str(text).unwrap_or_else(|error| {
        panic!("{}", error.emit_to_string(text));
    })
}

/// The shaders use only WGSL that every browser runs.
pub fn validated(module: &Module) -> naga::valid::ModuleInfo {
    let flags = naga::valid::ValidationFlags::all();
    let none = naga::valid::Capabilities::empty();
    naga::valid::Validator::new(flags, none)
        .validate(module)
        .unwrap()
}

/// Fails if a shader needs an extension of WGSL, or if an invocation has an array: a private array
/// would be placed in slow memory.
pub fn check(text: &str) {
    let module = parsed(text);
    validated(&module);
    let functions = module.functions.iter().map(|(_, function)| function);
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    for function in functions.chain(entries) {
        for (_, variable) in function.local_variables.iter() {
            let inner = &module.types[variable.ty].inner;
            assert!(!matches!(inner, TypeInner::Array { .. }), "{variable:?}");
        }
    }
}

/// Whether a loop counts up from a constant or an invocation's number to a constant, such as
/// `for (var i = 0u; i < MAX_SQUARES; i++) {`.
pub fn is_counted(line: &str) -> bool {
    let head = line.trim().strip_prefix("for (var ");
    let Some([first, bound, step]) = head.and_then(|head| {
        let parts: Vec<&str> = head.strip_suffix(") {")?.split("; ").collect();
        <[&str; 3]>::try_from(parts).ok()
    }) else {
        return false;
    };
    let Some((name, start)) = first.split_once(" = ") else {
        return false;
    };
    let is_number = |text: &str| {
        let digits = text.strip_suffix('u');
        digits.is_some_and(|digits| digits.parse::<u32>().is_ok_and(|number| number > 0))
    };
    let is_constant = |text: &str| {
        let is_upper = |c: char| c.is_ascii_uppercase() || c == '_';
        is_number(text) || text.chars().all(is_upper)
    };
    let of_name = |text: &'_ str| text.strip_prefix(name).map(str::to_owned);
    let starts = ["0u", "1u", "lane"].contains(&start);
    let ends = of_name(bound).is_some_and(|rest| rest.strip_prefix(" < ").is_some_and(is_constant));
    let counts = of_name(step)
        .is_some_and(|rest| rest == "++" || rest.strip_prefix(" += ").is_some_and(is_constant));
    starts && ends && counts
}

/// The number of a shader's loops, which all count up to a constant.
pub fn bounded_loops(text: &str) -> usize {
    let code = text.lines().map(|line| line.split("//").next().unwrap());
    let mut loops = 0;
    for line in code {
        let words: Vec<_> = line
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        let is_unbounded = words.contains(&"while") || words.contains(&"loop");
        assert!(!is_unbounded, "{line}");
        if words.contains(&"for") {
            assert!(is_counted(line), "{line}");
            loops += 1;
        }
    }
    loops
}
