//! Finds adapters and opens a device on one.

use crate::backend::BackendError;

/// A description of an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdapterSummary {
    /// The adapter's name from its driver.
    pub name: String,
    /// The graphics interface: `vulkan`, `metal`, `dx12`.
    pub backend: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub device_type: &'static str,
    /// The driver's name.
    pub driver: String,
    /// The driver's version and details.
    pub driver_info: String,
    /// Whether it runs on the CPU: correct, but no faster.
    pub software: bool,
    /// The largest buffer, in bytes.
    pub max_buffer_size: u64,
    /// The largest storage binding, in bytes.
    pub max_binding_size: u64,
    /// The most workgroups in one dimension of a dispatch.
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

/// Writes `NAME (BACKEND, DRIVER)`, plus `software` if so.
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
/// Like every search here, it heeds wgpu's environment variables, such as `WGPU_BACKEND`.
pub fn adapters() -> Vec<AdapterSummary> {
    let summary = |found: &wgpu::Adapter| AdapterSummary::new(found.get_info(), &found.limits());
    found().iter().map(summary).collect()
}

fn found() -> Vec<wgpu::Adapter> {
    let instance =
        wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
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

/// The first adapter that will do, or an error that names those found.
pub(super) fn first(
    missing: &str,
    will_do: impl Fn(&wgpu::AdapterInfo) -> bool,
) -> Result<wgpu::Adapter, BackendError> {
    let adapters = found();
    let names: Vec<_> = adapters.iter().map(|found| found.get_info().name).collect();
    let mut adapters = adapters.into_iter();
    let found = adapters.find(|adapter| will_do(&adapter.get_info()));
    found.ok_or_else(|| {
        BackendError::NoAdapter(if names.is_empty() {
            "none found".to_owned()
        } else {
            format!("{missing}, found: {}", names.join(", "))
        })
    })
}

/// Opens a device with the adapter's largest buffers and workgroups.
pub(super) fn open(adapter: &wgpu::Adapter) -> Result<(wgpu::Device, wgpu::Queue), BackendError> {
    let limits = adapter.limits();
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("swaplist"),
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
