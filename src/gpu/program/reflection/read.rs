//! Reads the shader with naga.

use wgpu::naga::{self, AddressSpace, Expression, Literal, Module, StorageAccess, TypeInner};

use super::super::layout::{Access, Binding};
use super::super::shader::{Kernel, SHADER, Shape, Variant};
use crate::Rules;

pub(super) fn module() -> Module {
    parsed(SHADER)
}

pub(super) fn parsed(text: &str) -> Module {
    naga::front::wgsl::parse_str(text).unwrap_or_else(|error| {
        panic!("{}", error.emit_to_string(text));
    })
}

/// The shader with the constants of a pipeline of this shape.
pub(super) fn shaped(kernel: Kernel, shape: Shape) -> Module {
    let module = module();
    let flags = naga::valid::ValidationFlags::all();
    let none = naga::valid::Capabilities::empty();
    let mut validator = naga::valid::Validator::new(flags, none);
    let info = validator.validate(&module).unwrap();
    let constants = Variant::new(kernel, &Rules::SWAP).constants(shape);
    let set = constants.map(|(name, value)| (name.to_owned(), value));
    let set = set.into_iter().collect();
    let process = naga::back::pipeline_constants::process_overrides;
    let (shaped, _) = process(&module, &info, None, &set).unwrap();
    shaped.into_owned()
}

/// Shapes across the ranges, including the smallest and the largest.
pub(super) fn shapes() -> impl Iterator<Item = Shape> {
    let ends = |range: core::ops::RangeInclusive<u32>| [*range.start(), *range.end()];
    let [few, many] = ends(Shape::LISTS);
    let [small, large] = ends(Shape::WORKGROUPS);
    [small, 64, 96, 256, large]
        .into_iter()
        .flat_map(move |workgroup| {
            let lists = [few, 2, 3, 4, 8, many].into_iter();
            lists.map(move |list| Shape { workgroup, list })
        })
}

/// The members of a struct with their offsets, and its size.
pub(super) fn layout(module: &Module, name: &str) -> (Vec<(String, usize)>, usize) {
    let named = |ty: &naga::Type| ty.name.as_deref() == Some(name);
    let (_, ty) = module.types.iter().find(|(_, ty)| named(ty)).unwrap();
    let TypeInner::Struct { members, span } = &ty.inner else {
        panic!("{name} is no struct");
    };
    let members = members.iter().map(|member| {
        let name = member.name.clone().unwrap();
        (name, member.offset as usize)
    });
    (members.collect(), *span as usize)
}

pub(super) fn constant(module: &Module, name: &str) -> i64 {
    let named = |constant: &naga::Constant| constant.name.as_deref() == Some(name);
    let found = module
        .constants
        .iter()
        .find(|(_, constant)| named(constant));
    let (_, constant) = found.unwrap_or_else(|| panic!("no constant {name}"));
    match module.global_expressions[constant.init] {
        Expression::Literal(Literal::U32(value)) => value.into(),
        Expression::Literal(Literal::I32(value)) => value.into(),
        ref other => panic!("{name} is {other:?}"),
    }
}

/// Joins pairs of 8-byte members.
pub(super) fn in_pairs(
    (members, size): &(Vec<(String, usize)>, usize),
    names: &[&str],
) -> (Vec<(String, usize)>, usize) {
    let pairs = members.chunks(2).zip(names).map(|(pair, name)| {
        assert_eq!(pair[0].1 + 8, pair[1].1);
        ((*name).to_owned(), pair[0].1)
    });
    (pairs.collect(), *size)
}

/// A binding's number, name and space.
type Bound = (u32, String, AddressSpace);

/// The bindings of a shader, in order.
pub(super) fn bindings_of(module: &Module) -> Vec<Bound> {
    let variables = module.global_variables.iter();
    let bound = variables.filter(|(_, variable)| variable.space != AddressSpace::WorkGroup);
    let mut bound: Vec<_> = bound
        .map(|(_, variable)| {
            let at = variable.binding.as_ref().unwrap();
            assert_eq!(at.group, 0);
            (at.binding, variable.name.clone().unwrap(), variable.space)
        })
        .collect();
    bound.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    bound
}

/// The bindings that a host makes.
pub(super) fn bindings(bindings: &[Binding]) -> Vec<Bound> {
    let space = |access| match access {
        Access::Uniform => AddressSpace::Uniform,
        Access::Read => AddressSpace::Storage {
            access: StorageAccess::LOAD,
        },
        Access::Write => AddressSpace::Storage {
            access: StorageAccess::LOAD | StorageAccess::STORE,
        },
    };
    let bound = |(number, binding): (u32, &Binding)| {
        (number, binding.name.to_owned(), space(binding.access))
    };
    (0..).zip(bindings).map(bound).collect()
}

/// The bytes of each element of a buffer.
pub(super) fn stride(module: &Module, name: &str) -> u32 {
    let named = |variable: &naga::GlobalVariable| variable.name.as_deref() == Some(name);
    let mut variables = module.global_variables.iter();
    let (_, variable) = variables.find(|(_, variable)| named(variable)).unwrap();
    match module.types[variable.ty].inner {
        TypeInner::Array { stride, .. } => stride,
        ref other => panic!("{name} is {other:?}"),
    }
}

/// Compares a module's constants with the host's; there are no others but its own.
pub(super) fn compare(module: &Module, constants: &[(&str, u32)], is_own: impl Fn(&str) -> bool) {
    for &(name, value) in constants {
        assert_eq!(constant(module, name), i64::from(value), "{name}");
    }
    let names = module.constants.iter();
    for name in names.filter_map(|(_, constant)| constant.name.as_deref()) {
        let is_compared = constants.iter().any(|&(compared, _)| compared == name);
        assert!(is_own(name) || is_compared, "{name} is not compared");
    }
}
