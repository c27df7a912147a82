//! A panic is a fault of ours: it ends one piece of work and nothing else.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::api::ApiError;

/// Does work in which a panic, which is a fault of ours, is an error of this work and of nothing else.
/// The panic itself is reported on standard error.
pub(super) fn without_panic<T>(work: impl FnOnce() -> Result<T, ApiError>) -> Result<T, ApiError> {
    // What the work has changed is not looked at after a panic, or is behind a lock that forgives it.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

pub(super) fn panicked(panic: &(dyn Any + Send)) -> ApiError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    ApiError::failed(format!("this is a fault of the program, not of the request: {text}"))
}

#[cfg(test)]
mod tests {
    use super::super::api::ErrorCode;
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_its_own_work() {
        let failed = without_panic::<()>(|| panic!("a list is {}", "empty")).unwrap_err();
        assert_eq!(failed.code, ErrorCode::Failed);
        assert!(failed.message.contains("a list is empty"), "{failed:?}");
        assert_eq!(without_panic(|| Ok(3)), Ok(3));
    }
}
