//! All integration tests of the program, in one binary: each binary links the whole program, which takes longer than
//! most of the tests. `cargo test -p sakiyomi --test all NAME` runs those of one file.

mod allocations;
mod api_types;
mod architecture;
mod cli;
#[cfg(unix)]
mod documents;
mod exact_work;
mod fair;
#[cfg(unix)]
mod ggp;
#[cfg(unix)]
mod limits;
mod markdown;
#[cfg(unix)]
mod mizugame;
mod playthroughs;
mod reference;
#[cfg(unix)]
mod reliability;
mod resume;
#[cfg(unix)]
mod robust;
mod serve;
mod threads;
