//! Long work beside Python: it is done by a thread of our own, while the thread that called waits without the
//! interpreter's lock, wakes up now and then to see whether Ctrl-C was pressed, and calls back with progress.
//!
//! The threads wait for further work, since starting one costs more than a short search, and so does waking one up:
//! both sides look for a moment before they sleep. Everything that is handed to the threads is owned, so that no borrow
//! has to outlive the call.

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use sakiyomi_core::Stop;
use serde_json::Value;

use crate::errors::Raised;

/// How often Ctrl-C is looked for and progress is told.
const TICK: Duration = Duration::from_millis(50);
/// How long one looks before one sleeps: about as long as waking up takes.
const MOMENT: Duration = Duration::from_micros(60);

/// What the work gets: whether it is to stop, and where it says how far it is.
#[derive(Clone, Default)]
pub(crate) struct Duty {
    stop: Arc<Stop>,
    latest: Option<Arc<Mutex<Option<Value>>>>,
}

impl Duty {
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Says how far it is, if someone wants to know.
    pub(crate) fn tell(&self, progress: impl FnOnce() -> Value) {
        if let Some(latest) = &self.latest {
            *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress());
        }
    }
}

/// Does work and returns what came of it. If Python wants it to end early (Ctrl-C, or an exception of the
/// callback), the work is stopped and that exception returned beside what came of it.
pub(crate) fn run_keeping<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Duty) -> T + Send + 'static,
) -> PyResult<(T, PyResult<()>)> {
    let duty = Duty { latest: progress.map(|_| Arc::default()), ..Duty::default() };
    let own = duty.clone();
    let (sender, mut receiver) = mpsc::channel();
    start(Box::new(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&own)));
        // There is no receiver if the interpreter is being torn down.
        let _ = sender.send(done);
    }));
    let mut ended = Ok(());
    loop {
        let waited = py.detach(move || {
            let received = look(&receiver).map_or_else(|| receiver.recv_timeout(TICK), Ok);
            (receiver, received)
        });
        receiver = waited.0;
        match waited.1 {
            Ok(Ok(result)) => {
                if ended.is_ok() {
                    ended = tell(py, progress, &duty);
                }
                return Ok((result, ended));
            }
            Ok(Err(panic)) => return Err(internal(&*panic)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Raised::other("the working thread has ended").into());
            }
            Err(RecvTimeoutError::Timeout) if ended.is_ok() => {
                ended = py.check_signals().and_then(|()| tell(py, progress, &duty));
                if ended.is_err() {
                    duty.stop.request();
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Does work whose result is of no use if it was stopped.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Duty) -> T + Send + 'static,
) -> PyResult<T> {
    let (result, ended) = run_keeping(py, progress, work)?;
    ended.map(|()| result)
}

fn tell(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>, duty: &Duty) -> PyResult<()> {
    let (Some(callback), Some(latest)) = (progress, &duty.latest) else { return Ok(()) };
    let news = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(news) = news {
        let told = py.import("json")?.call_method1("loads", (news.to_string(),))?;
        callback.call1((told,))?;
    }
    Ok(())
}

fn internal(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Raised::other(format!("internal error: {text}")).into()
}

type Work = Box<dyn FnOnce() + Send>;

/// Threads that wait for work, and the process they belong to: after a fork the child has none of them.
struct Idle {
    process: u32,
    threads: Vec<Sender<Work>>,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, threads: Vec::new() });

/// Hands work to a thread that waits, or to a new one.
fn start(mut work: Work) {
    loop {
        let waiting = with_idle(|threads| threads.pop());
        let Some(thread) = waiting else { break };
        match thread.send(work) {
            Ok(()) => return,
            Err(mpsc::SendError(unsent)) => work = unsent,
        }
    }
    let (sender, receiver) = mpsc::channel();
    // The receiver is alive, so this cannot fail.
    let _ = sender.send(work);
    thread::spawn(move || wait_for_work(&sender, &receiver));
}

fn wait_for_work(own: &Sender<Work>, receiver: &Receiver<Work>) {
    while let Ok(work) = look(receiver).map_or_else(|| receiver.recv(), Ok) {
        work();
        with_idle(|threads| threads.push(own.clone()));
    }
}

/// What arrives within a moment.
fn look<T>(receiver: &Receiver<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        match receiver.try_recv() {
            Ok(received) => return Some(received),
            Err(TryRecvError::Empty) if start.elapsed() < MOMENT => spin_loop(),
            Err(_) => return None,
        }
    }
}

fn with_idle<T>(change: impl FnOnce(&mut Vec<Sender<Work>>) -> T) -> T {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.process != std::process::id() {
        *idle = Idle { process: std::process::id(), threads: Vec::new() };
    }
    change(&mut idle.threads)
}
