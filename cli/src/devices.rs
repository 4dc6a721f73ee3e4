//! `swaplist devices`: lists CPU and GPU backends. `bench` and `verify` open them by this file,
//! too.

use std::collections::HashSet;
use std::fmt::Write as _;
use swaplist_files::jobs::thread_count;
use swaplist_files::report;

#[cfg(feature = "gpu")]
use anyhow::Context as _;
use anyhow::Result;
#[cfg(not(feature = "gpu"))]
use anyhow::bail;
use serde_json::{Value, json};
use swaplist::backend::Backend;
use swaplist::{BackendChoice, Choice, CpuPath};

use super::session::print_as;

/// Lists the CPU and the GPU adapters of this machine, and which one `--backend auto` would
/// use.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 2 could not run.

Examples:
  swaplist devices
  swaplist filter games.fen -o quiet.fen --backend gpu:llvmpipe")]
pub struct Args {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the list; always returns true.
pub fn run(args: &Args) -> Result<bool> {
    let adapters = adapters();
    let (backend, reason) = choice(&adapters);
    let json = json!({
        "cpu": {
            "name": cpu_name(),
            "threads": thread_count(None),
            "paths": cpu_paths(None).map(|path| path.to_string()).collect::<Value>(),
        },
        "gpus": adapters,
        "auto": { "backend": backend, "reason": reason },
    });
    let mut text = rows("CPU", &json["cpu"]);
    for adapter in &adapters {
        text += &rows("GPU", adapter);
    }
    let _ = writeln!(text, "auto takes {backend}: {reason}");
    print_as(args.json, &json, &text)?;
    Ok(true)
}

/// A device's name, and a row for each of its other properties.
fn rows(kind: &str, device: &Value) -> String {
    let mut text = format!("{kind}  {}\n", plain_text(&device["name"]));
    let all = device.as_object().into_iter().flatten();
    for (key, value) in all.filter(|(key, _)| *key != "name") {
        let name = key.replace('_', " ");
        let value = match (key.as_str(), value.as_u64()) {
            ("largest_buffer" | "largest_binding", Some(bytes)) => {
                format!("{} MiB", report::grouped(bytes >> 20))
            }
            ("workgroups", Some(most)) => format!("{} a dimension", report::grouped(most)),
            _ => plain_text(value),
        };
        let _ = writeln!(text, "     {name:<16} {value}");
    }
    text
}

/// A value as text: without quotes, and lists with spaces.
fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(plain_text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// All GPU adapters as JSON, the best first.
#[cfg(feature = "gpu")]
fn adapters() -> Vec<Value> {
    use crate::options::names;
    swaplist::gpu::adapters()
        .into_iter()
        .map(|adapter| {
            let driver = format!("{} {}", adapter.driver, adapter.driver_info);
            json!({
                "name": adapter.name,
                "software": adapter.software,
                "interface": adapter.backend,
                "type": adapter.device_type,
                "driver": driver.trim(),
                "largest_buffer": adapter.max_buffer_size,
                "largest_binding": adapter.max_binding_size,
                "workgroups": adapter.max_workgroups,
                // The formats that a GPU filters by itself: any GPU the same ones.
                "filters": names(|format| format.spec().filters_on_gpu),
            })
        })
        .collect()
}

#[cfg(not(feature = "gpu"))]
fn adapters() -> Vec<Value> {
    Vec::new()
}

/// The code paths that this CPU has, the fastest last; or only `path`, which it may not have.
pub fn cpu_paths(path: Option<CpuPath>) -> impl Iterator<Item = CpuPath> {
    CpuPath::ALL
        .iter()
        .copied()
        .filter(move |other| match path {
            Some(path) => *other == path,
            None => other.is_available(),
        })
}

#[cfg(feature = "gpu")]
pub use swaplist::gpu::GpuOptions;
/// The options of a GPU; none, as there are no GPUs.
#[cfg(not(feature = "gpu"))]
#[derive(Clone, Default)]
pub struct GpuOptions {}

/// A backend to measure or compare.
pub struct Contender {
    pub name: String,
    /// "cpu", "gpu", or "software" for a software adapter.
    pub kind: &'static str,
    /// The adapter and its driver.
    pub adapter: Option<String>,
    pub backend: Box<dyn Backend>,
}

impl Contender {
    /// A contender with the backend's own name; `kind` is one of those above.
    pub fn new(kind: &'static str, backend: impl Backend + 'static) -> Contender {
        Contender {
            name: backend.name(),
            kind,
            adapter: None,
            backend: Box::new(backend),
        }
    }
}

/// The names of the adapters that a choice names, and the kind of each: "gpu" or "software". For
/// `auto` all of them.
pub fn adapter_names(choice: &BackendChoice) -> Result<Vec<(String, &'static str)>> {
    let all = adapters();
    let mut names = match choice {
        BackendChoice::Cpu => return Ok(Vec::new()),
        BackendChoice::Gpu(name) => usable(name.as_deref())?,
        BackendChoice::Auto => all.iter().map(|gpu| plain_text(&gpu["name"])).collect(),
    };
    // A GPU through two interfaces has the same name twice; it is measured once.
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    Ok(names
        .into_iter()
        .map(|name| {
            let adapter = all.iter().find(|adapter| adapter["name"] == name.as_str());
            let is_software = adapter.is_some_and(|adapter| adapter["software"] == true);
            (name, if is_software { "software" } else { "gpu" })
        })
        .collect())
}

/// Opens the GPUs that a choice names; for `auto` all, software adapters too.
pub fn gpus(choice: &BackendChoice, options: &GpuOptions) -> Result<Vec<Contender>> {
    let names = adapter_names(choice)?;
    names.iter().map(|(name, _)| open(name, options)).collect()
}

/// The names of the adapters that a `gpu` or `gpu:NAME` may mean, at least one.
#[cfg(feature = "gpu")]
fn usable(name: Option<&str>) -> Result<Vec<String>> {
    let adapters = swaplist::gpu::usable_adapters(name)?;
    Ok(adapters.into_iter().map(|adapter| adapter.name).collect())
}

#[cfg(not(feature = "gpu"))]
fn usable(_: Option<&str>) -> Result<Vec<String>> {
    bail!("{NO_GPU}")
}

/// Opens the adapter of this name.
#[cfg(feature = "gpu")]
fn open(name: &str, options: &GpuOptions) -> Result<Contender> {
    let gpu = swaplist::gpu::Gpu::open(Some(name), options)
        .with_context(|| format!("cannot open '{name}'"))?;
    let about = gpu.adapter();
    let kind = if about.software { "software" } else { "gpu" };
    let name = about.name.clone();
    let adapter = Some(about.to_string());
    Ok(Contender {
        name,
        adapter,
        ..Contender::new(kind, gpu)
    })
}

#[cfg(not(feature = "gpu"))]
fn open(_: &str, _: &GpuOptions) -> Result<Contender> {
    bail!("{NO_GPU}")
}

#[cfg(not(feature = "gpu"))]
const NO_GPU: &str = "built without the feature gpu";

/// What `--backend auto` would use, and why.
fn choice(adapters: &[Value]) -> (String, &'static str) {
    match adapters.iter().find(|adapter| adapter["software"] == false) {
        Some(gpu) => (
            plain_text(&gpu["name"]),
            "the first real GPU, if it is measured to be faster, once a run takes long enough",
        ),
        None if adapters.is_empty() => ("cpu".to_owned(), "there is no GPU adapter"),
        None => (
            "cpu".to_owned(),
            "a software adapter is used only if it is named, with --backend gpu:NAME",
        ),
    }
}

/// The CPU's model name, or else its architecture.
pub fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(
        || std::env::consts::ARCH.to_owned(),
        |(_, name)| name.trim().to_owned(),
    )
}
