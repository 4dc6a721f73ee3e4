//! Finds adapters and opens a device on one.
//!
//! An adapter is a GPU as one graphics interface shows it, or software that behaves like one. A
//! machine with one GPU can have several: the GPU through Vulkan, and Mesa's `llvmpipe`. Software
//! is never taken unless it is named, since it computes on the CPU.

use core::mem;
use std::process;
use std::sync::Mutex;

use crate::backend::BackendError;

/// What an adapter is, and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdapterSummary {
    /// The adapter's name from its driver.
    pub name: String,
    /// The graphics interface: `vulkan`, `metal`, `dx12`.
    pub backend: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub device_type: &'static str,
    /// The driver's name as the system gives it, such as `NVIDIA` or `llvmpipe`; empty if it gives
    /// none.
    pub driver: String,
    /// The driver's version and details.
    pub driver_info: String,
    /// Whether it is software, which computes on the CPU: correct, but no faster than the CPU.
    pub software: bool,
    /// The size of the largest buffer, in bytes.
    pub max_buffer_size: u64,
    /// The size of the largest storage binding, in bytes.
    pub max_binding_size: u64,
    /// The most workgroups in one dimension of a dispatch. A device that is opened here uses at most
    /// 65,535 of them.
    pub max_workgroups: u32,
}

impl AdapterSummary {
    pub(super) fn new(info: wgpu::AdapterInfo, limits: &wgpu::Limits) -> AdapterSummary {
        AdapterSummary {
            backend: info.backend.to_string(),
            device_type: match info.device_type {
                wgpu::DeviceType::DiscreteGpu => "discrete",
                wgpu::DeviceType::IntegratedGpu => "integrated",
                wgpu::DeviceType::VirtualGpu => "virtual",
                wgpu::DeviceType::Cpu => "software",
                wgpu::DeviceType::Other => "other",
            },
            software: info.device_type == wgpu::DeviceType::Cpu,
            name: info.name,
            driver: info.driver,
            driver_info: info.driver_info,
            max_buffer_size: limits.max_buffer_size,
            max_binding_size: limits.max_storage_buffer_binding_size,
            max_workgroups: limits.max_compute_workgroups_per_dimension,
        }
    }
}

/// Writes `NAME (BACKEND, DRIVER, DETAILS)`, without the parts that the driver leaves empty, and
/// with `, software` at the end if it is that.
impl core::fmt::Display for AdapterSummary {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let AdapterSummary { name, backend, .. } = self;
        write!(f, "{name} ({backend}")?;
        for part in [&self.driver, &self.driver_info] {
            if !part.is_empty() {
                write!(f, ", {part}")?;
            }
        }
        f.write_str(if self.software { ", software)" } else { ")" })
    }
}

/// All adapters that can run the shader, in order of preference: discrete, integrated, virtual,
/// other, software.
///
/// Like every search here, it heeds wgpu's environment variables, such as `WGPU_BACKEND`, as they
/// are when this process first searches.
pub fn adapters() -> Vec<AdapterSummary> {
    enumerate().iter().map(summary).collect()
}

/// The adapters that may be used, the best first: all whose name contains the text, ignoring case,
/// or without a text the real GPUs. So a software adapter is used only if it is named. An adapter
/// with exactly this name comes before one whose name is longer.
///
/// # Errors
///
/// [`BackendError::NoAdapter`] if there is none. It names what was found, and tells how to ask for
/// a software adapter and what a driver needs.
pub fn usable_adapters(name: Option<&str>) -> Result<Vec<AdapterSummary>, BackendError> {
    Ok(usable(name)?.iter().map(summary).collect())
}

fn summary(adapter: &wgpu::Adapter) -> AdapterSummary {
    AdapterSummary::new(adapter.get_info(), &adapter.limits())
}

/// The adapters that [`usable_adapters`] describes, at least one.
pub(super) fn usable(name: Option<&str>) -> Result<Vec<wgpu::Adapter>, BackendError> {
    let wanted = name.map(str::trim).filter(|name| !name.is_empty());
    let (usable, others) = choose(enumerate(), wanted, |adapter| {
        let about = summary(adapter);
        (about.name, about.software)
    });
    if usable.is_empty() {
        let summaries: Vec<_> = others.iter().map(summary).collect();
        return Err(BackendError::NoAdapter(why_none(wanted, &summaries)));
    }
    Ok(usable)
}

/// The adapters that [`usable_adapters`] chooses, and the others. `about` tells an adapter's name and
/// whether it is software.
fn choose<A>(
    all: Vec<A>,
    wanted: Option<&str>,
    about: impl Fn(&A) -> (String, bool),
) -> (Vec<A>, Vec<A>) {
    let Some(wanted) = wanted.map(str::to_lowercase) else {
        return all.into_iter().partition(|adapter| !about(adapter).1);
    };
    let name = |adapter: &A| about(adapter).0.to_lowercase();
    let (mut usable, others): (Vec<A>, Vec<A>) = all
        .into_iter()
        .partition(|adapter| name(adapter).contains(&wanted));
    // Else "RX 7900 XT" would open an "RX 7900 XTX". The sort is stable, so the best stay first.
    usable.sort_by_key(|adapter| name(adapter) != wanted);
    (usable, others)
}

/// The message of why no adapter is used; `all` are the adapters that were found.
fn why_none(wanted: Option<&str>, all: &[AdapterSummary]) -> String {
    let list = |describe: fn(&str) -> String| {
        let names = all.iter().map(|adapter| describe(&adapter.name));
        names.collect::<Vec<_>>().join(", ")
    };
    let needs = if all.iter().any(|adapter| !adapter.software) {
        ""
    } else {
        NEEDS
    };
    match wanted {
        _ if all.is_empty() => format!("none found{needs}"),
        Some(wanted) => {
            let names = list(str::to_owned);
            format!("none is named '{wanted}', found: {names}{needs}")
        }
        None => {
            let choices = list(|name| format!("'gpu:{}'", short(name)));
            format!("found only software, which must be asked for by name: {choices}{needs}")
        }
    }
}

/// A name without the version that some drivers put after it.
fn short(name: &str) -> &str {
    name.split(" (").next().unwrap_or(name)
}

/// What to check if a GPU of this machine is not found, as the end of a message; nothing except on
/// Linux.
const NEEDS: &str = if cfg!(target_os = "linux") {
    "; a GPU needs libvulkan1 and its driver's file, for NVIDIA nvidia_icd.json (in a container \
     NVIDIA_DRIVER_CAPABILITIES=graphics brings it), on WSL2 \
     WGPU_ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER=1; see docs/gpu.md"
} else {
    ""
};

/// All adapters that have compute shaders, the best first.
fn enumerate() -> Vec<wgpu::Adapter> {
    let search = instance().enumerate_adapters(wgpu::Backends::all());
    let mut adapters = pollster::block_on(search);
    adapters.retain(|adapter| {
        let capabilities = adapter.get_downlevel_capabilities();
        let compute = wgpu::DownlevelFlags::COMPUTE_SHADERS;
        capabilities.flags.contains(compute)
    });
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    adapters
}

/// The instance of wgpu that this process shares: making one loads all drivers.
///
/// Drivers do not survive a fork, so a forked child makes an instance of its own, and leaves its
/// parent's alone. If the lock is taken, no thread waits for it: a thread of the parent may have
/// held it at the fork, and in the child nobody would ever release it.
fn instance() -> wgpu::Instance {
    static SHARED: Mutex<Option<(u32, wgpu::Instance)>> = Mutex::new(None);
    let make = || {
        let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        wgpu::Instance::new(descriptor)
    };
    let Ok(mut shared) = SHARED.try_lock() else {
        return make();
    };
    let process = process::id();
    if let Some((owner, instance)) = &*shared
        && *owner == process
    {
        return instance.clone();
    }
    let instance = make();
    // Dropping a parent's instance would call its drivers.
    mem::forget(shared.replace((process, instance.clone())));
    instance
}

/// Opens a device whose buffers and workgroups may be as large as the adapter allows. All other
/// limits, such as the number of workgroups in a dispatch, are wgpu's low defaults, which older
/// adapters have, too.
pub(super) fn open(adapter: &wgpu::Adapter) -> Result<(wgpu::Device, wgpu::Queue), BackendError> {
    let limits = adapter.limits();
    // Timestamps, if the adapter has them: callers can have the device measure how long the steps
    // of their commands take. They cost nothing unless they are written.
    let clock = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("swaplist"),
        required_features: adapter.features() & clock,
        required_limits: wgpu::Limits {
            max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
            max_buffer_size: limits.max_buffer_size,
            max_compute_invocations_per_workgroup: limits.max_compute_invocations_per_workgroup,
            max_compute_workgroup_size_x: limits.max_compute_workgroup_size_x,
            max_compute_workgroup_storage_size: limits.max_compute_workgroup_storage_size,
            ..wgpu::Limits::downlevel_defaults()
        },
        memory_hints: wgpu::MemoryHints::Performance,
        ..wgpu::DeviceDescriptor::default()
    };
    pollster::block_on(adapter.request_device(&descriptor))
        .map_err(|error| BackendError::Device(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::choose;

    fn chosen(wanted: Option<&str>) -> Vec<&'static str> {
        let all = vec!["RX 7900 XTX", "RX 7900 XT", "Iris", "llvmpipe"];
        let about = |name: &&'static str| ((*name).to_owned(), *name == "llvmpipe");
        choose(all, wanted, about).0
    }

    #[test]
    fn an_adapter_of_exactly_the_name_comes_first() {
        assert_eq!(chosen(Some("rx 7900 xt")), ["RX 7900 XT", "RX 7900 XTX"]);
        assert_eq!(chosen(Some("RX 7900")), ["RX 7900 XTX", "RX 7900 XT"]);
        assert_eq!(chosen(Some("llvm")), ["llvmpipe"]);
        assert_eq!(chosen(None), ["RX 7900 XTX", "RX 7900 XT", "Iris"]);
    }
}
