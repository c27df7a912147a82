//! Kernels on a device: compiled by NVRTC, kept in a folder, launched.
//!
//! Driver and compiler are libraries that are looked for when the program runs; without them, or
//! without a device, there is a [`GpuRefusal`] and nothing else happens.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::{CompileError, CompileOptions, Ptx, compile_ptx_with_opts};
use sakiyomi_core::Stop;
use sha1::{Digest, Sha1};

use crate::lanes::Lanes;
use crate::lanes::cuda::job::{IS_TERMINAL, Job, cycles_between_goals, jobs, push_facts};
use crate::lanes::cuda::list::{OperationList, list_source};
use crate::lanes::cuda::source::{BLOCK, SourceLimits, source};
use crate::lanes::play::{Match, Played, Start};
use crate::run::draw::STEP;

/// Why nothing is played on a graphics processor.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuRefusal {
    #[error("no lanes: {0}")]
    NoLanes(#[from] crate::lanes::Refusal),
    #[error("there is no CUDA driver (libcuda) on this machine")]
    NoDriver,
    #[error("CUDA's compiler (libnvrtc) is not found; LD_LIBRARY_PATH may name its folder")]
    NoCompiler,
    #[error("the CUDA driver says {0}")]
    Driver(String),
    #[error("the kernel does not compile: {0}")]
    Compile(String),
}

impl From<DriverError> for GpuRefusal {
    fn from(error: DriverError) -> GpuRefusal {
        let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
        GpuRefusal::Driver(text.unwrap_or_else(|_| error.to_string()))
    }
}

impl From<CompileError> for GpuRefusal {
    fn from(error: CompileError) -> GpuRefusal {
        GpuRefusal::Compile(match error {
            CompileError::CompileError { log, .. } => log.to_string_lossy().into_owned(),
            other => other.to_string(),
        })
    }
}

/// How kernels are made and launched.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct GpuSettings {
    pub limits: SourceLimits,
    /// How often matches begin before goals are computed, if not by the size of the goals.
    pub cycles: Option<u32>,
    /// Blocks of threads for each processor of the device, if not the number that fits.
    pub blocks: Option<u32>,
}

/// The first device of the machine.
#[derive(Debug)]
struct Device {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    name: String,
    /// What NVRTC calls it.
    architecture: &'static str,
    n_processors: u32,
}

fn device() -> Result<&'static Device, GpuRefusal> {
    static DEVICE: OnceLock<Result<Device, GpuRefusal>> = OnceLock::new();
    DEVICE.get_or_init(Device::new).as_ref().map_err(Clone::clone)
}

impl Device {
    fn new() -> Result<Device, GpuRefusal> {
        let (has_driver, has_compiler) = libraries();
        if !has_driver {
            return Err(GpuRefusal::NoDriver);
        }
        if !has_compiler {
            return Err(GpuRefusal::NoCompiler);
        }
        let context = CudaContext::new(0)?;
        let (major, minor) = context.compute_capability()?;
        Ok(Device {
            stream: context.default_stream(),
            name: context.name()?,
            architecture: format!("compute_{major}{minor}").leak(),
            n_processors: context.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
            context,
        })
    }

    /// Compiles a kernel, or takes what was compiled before.
    fn compile(&self, source: &str) -> Result<CudaFunction, GpuRefusal> {
        let digest = Sha1::new().chain_update(self.architecture).chain_update(source).finalize();
        let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let kept = cache_folder().map(|folder| folder.join(name + ".ptx"));
        let known = kept.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        if let Some(text) = known
            && let Ok(function) = self.load(text)
        {
            return Ok(function);
        }
        let options = CompileOptions { arch: Some(self.architecture), ..CompileOptions::default() };
        let text = compile_ptx_with_opts(source, options)?.to_src();
        if let Some(path) = kept {
            // A cache that cannot be written is none.
            let _ = keep(&path, &text);
        }
        self.load(text)
    }

    fn load(&self, ptx: String) -> Result<CudaFunction, GpuRefusal> {
        Ok(self.context.load_module(Ptx::from_src(ptx))?.load_function("play")?)
    }
}

/// Whether there are a driver and a compiler.
#[allow(unsafe_code)]
fn libraries() -> (bool, bool) {
    // SAFETY: a library is loaded and closed again. The functions are unsafe because a library may
    // do anything when it is loaded; these two are the system's, and only initialise themselves.
    unsafe { (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) }
}

/// Where compiled kernels are kept.
fn cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let caches = folder("XDG_CACHE_HOME").map(PathBuf::from);
    let caches = caches.or_else(|| Some(PathBuf::from(folder("HOME")?).join(".cache")))?;
    Some(caches.join("sakiyomi/kernels"))
}

/// Writes a file that others see complete or not at all.
fn keep(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    let partial = path.with_extension(format!("{}.part", std::process::id()));
    std::fs::write(&partial, text)?;
    std::fs::rename(partial, path)
}

/// A game on the device.
#[derive(Debug)]
pub(crate) struct Kernel {
    device: &'static Device,
    function: CudaFunction,
    pub(crate) form: GpuForm,
    pub(crate) registers: u32,
    pub(crate) local_bytes: u32,
    n_fluents: usize,
    n_roles: usize,
    cycles: u32,
    /// Threads that are resident at the same time.
    n_threads: u32,
    /// One launch at a time: the words of a list belong to it.
    list: Mutex<Option<List>>,
}

/// How the code of a game runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GpuForm {
    /// As a kernel of its own.
    Compiled,
    /// As a list of operations, since it is too large for that.
    List,
}

#[derive(Debug)]
struct List {
    operations: CudaSlice<u32>,
    words: CudaSlice<u32>,
}

/// What many matches add up to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sums {
    pub(crate) n: u64,
    pub(crate) plies: u64,
    /// Per role the sum of goals and of their squares.
    pub(crate) goals: Vec<(u64, u64)>,
    pub(crate) time: Duration,
}

/// The most matches of one launch that are told one by one.
const MAX_TOLD: usize = 1 << 24;

impl Kernel {
    pub(crate) fn new(lanes: &Lanes, settings: &GpuSettings) -> Result<Kernel, GpuRefusal> {
        let device = device()?;
        let compiled = source(lanes, &settings.limits);
        let form = if compiled.is_some() { GpuForm::Compiled } else { GpuForm::List };
        let function = device.compile(&compiled.unwrap_or_else(|| list_source(lanes)))?;
        let fitting = function.occupancy_max_active_blocks_per_multiprocessor(BLOCK, 0, None)?;
        let n_blocks = settings.blocks.unwrap_or(fitting).max(1) * device.n_processors;
        let mut n_threads = n_blocks * BLOCK;
        let mut list = None;
        if form == GpuForm::List {
            let OperationList { list: operations, n_words } = OperationList::new(lanes);
            // Half of the memory is enough for all threads, or there are fewer.
            let (free, _) = device.context.mem_get_info()?;
            let fitting = free / 2 / (4 * n_words.max(1)) / BLOCK as usize;
            n_threads = n_threads.min((fitting.max(1) as u32).saturating_mul(BLOCK));
            list = Some(List {
                operations: device.stream.clone_htod(&operations)?,
                words: device.stream.alloc_zeros(n_words * n_threads as usize)?,
            });
        }
        Ok(Kernel {
            device,
            registers: function.num_regs()? as u32,
            local_bytes: function.local_size_bytes()? as u32,
            function,
            form,
            n_fluents: lanes.n_fluents,
            n_roles: lanes.n_roles,
            cycles: settings.cycles.unwrap_or_else(|| cycles_between_goals(lanes)),
            n_threads,
            list: Mutex::new(list),
        })
    }

    pub(crate) fn device_name(&self) -> &str {
        &self.device.name
    }

    /// Matches that are played at the same time.
    pub(crate) fn n_lanes(&self) -> u64 {
        u64::from(self.n_threads) * 32
    }

    /// Plays matches and tells of each. They are those of `play` of the lanes. After an error, and
    /// when `stop` was requested, some are not told.
    pub(crate) fn play(
        &self,
        lanes: &Lanes,
        starts: &[Start<'_>],
        matches: &[Match],
        max_plies: u32,
        stop: Option<&Stop>,
        tell: &mut dyn FnMut(Played<'_>),
    ) -> Result<(), GpuRefusal> {
        for (i, matches) in matches.chunks(MAX_TOLD).enumerate() {
            for job in jobs(lanes, starts, matches) {
                if stop.is_some_and(Stop::requested) {
                    return Ok(());
                }
                self.play_job(&job, i * MAX_TOLD, max_plies, tell)?;
            }
        }
        Ok(())
    }

    fn play_job(
        &self,
        job: &Job,
        first: usize,
        max_plies: u32,
        tell: &mut dyn FnMut(Played<'_>),
    ) -> Result<(), GpuRefusal> {
        let stream = &self.device.stream;
        let n = job.numbers.len();
        let mut told = Told {
            plies: stream.alloc_zeros(n)?,
            goals: stream.alloc_zeros(n * self.n_roles)?,
            sums: stream.alloc_zeros(1)?,
        };
        let given = Given {
            facts: stream.clone_htod(&job.facts)?,
            plies_at: stream.clone_htod(&job.plies_at)?,
            start_of: stream.clone_htod(&job.start_of)?,
            keys: stream.clone_htod(&job.keys)?,
            base: 0,
            n: n as u32,
            mode: job.mode(),
            phase: job.phase,
            max_plies,
        };
        self.launch(&given, &mut told)?;
        let plies = stream.clone_dtoh(&told.plies)?;
        let by_role = stream.clone_dtoh(&told.goals)?;
        let mut goals = vec![0; self.n_roles];
        for (i, (&number, plies)) in job.numbers.iter().zip(plies).enumerate() {
            for (role, goal) in goals.iter_mut().enumerate() {
                *goal = by_role[role * n + i];
            }
            tell(Played {
                number: first + number as usize,
                plies: plies & !IS_TERMINAL,
                is_terminal: plies & IS_TERMINAL != 0,
                goals: &goals,
            });
        }
        Ok(())
    }

    /// Plays `n` matches from one start, under 2^31 of them, and adds them up. The keys are those
    /// of [`counted_key`] from `base` on.
    pub(crate) fn sums(
        &self,
        start: &Start<'_>,
        period: usize,
        base: u64,
        n: u32,
        max_plies: u32,
    ) -> Result<Sums, GpuRefusal> {
        let stream = &self.device.stream;
        let mut facts = Vec::new();
        push_facts(start, self.n_fluents, &mut facts);
        let given = Given {
            facts: stream.clone_htod(&facts)?,
            plies_at: stream.clone_htod(&[start.plies])?,
            start_of: stream.alloc_zeros(1)?,
            keys: stream.alloc_zeros(1)?,
            base,
            n,
            mode: 0,
            phase: (start.phase % period) as u32,
            max_plies,
        };
        let mut told = Told {
            plies: stream.alloc_zeros(1)?,
            goals: stream.alloc_zeros(1)?,
            sums: stream.alloc_zeros(2 + 2 * self.n_roles)?,
        };
        stream.synchronize()?;
        let clock = Instant::now();
        self.launch(&given, &mut told)?;
        let sums = stream.clone_dtoh(&told.sums)?;
        let time = clock.elapsed();
        let goals = sums[2..].as_chunks::<2>().0.iter().map(|&[sum, squares]| (sum, squares));
        Ok(Sums { n: sums[0], plies: sums[1], goals: goals.collect(), time })
    }

    #[allow(unsafe_code)]
    fn launch(&self, given: &Given, told: &mut Told) -> Result<(), GpuRefusal> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let n_blocks = given.n.div_ceil(32 * BLOCK).clamp(1, self.n_threads / BLOCK);
        let config = LaunchConfig {
            grid_dim: (n_blocks, 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        let stream = &self.device.stream;
        let mut launch = stream.launch_builder(&self.function);
        let Given { facts, plies_at, start_of, keys, base, n, mode, phase, max_plies } = given;
        launch.arg(facts).arg(plies_at).arg(start_of).arg(keys).arg(base).arg(n).arg(mode);
        launch.arg(phase).arg(&self.cycles).arg(max_plies);
        launch.arg(&mut told.plies).arg(&mut told.goals).arg(&mut told.sums);
        if let Some(List { operations, words }) = list.as_mut() {
            launch.arg(&*operations).arg(words);
        }
        // SAFETY: the arguments are those of `play` in `kernels/tail.cu`, in its order and of its
        // types, and those of `kernels/list.cu` for a list. The kernel writes to the last five only. It
        // stays within them: `plies` and `goals` have a place for each of the `n` matches if the
        // mode says that each is told, `keys` and `start_of` if it says that they are given,
        // `facts` has all words of every start that `start_of` names, `sums` two numbers and two
        // per role, and `words` those of every thread that is launched. Tests run the same source
        // on the CPU.
        unsafe { launch.launch(config)? };
        stream.synchronize()?;
        Ok(())
    }
}

/// What a launch reads.
struct Given {
    facts: CudaSlice<u32>,
    plies_at: CudaSlice<u32>,
    start_of: CudaSlice<u32>,
    keys: CudaSlice<u64>,
    base: u64,
    n: u32,
    mode: u32,
    phase: u32,
    max_plies: u32,
}

/// What a launch writes.
struct Told {
    plies: CudaSlice<u32>,
    goals: CudaSlice<u8>,
    sums: CudaSlice<u64>,
}

/// How far `base` moves on with every match whose key is counted.
pub(crate) const KEY_STEP: u64 = STEP;
