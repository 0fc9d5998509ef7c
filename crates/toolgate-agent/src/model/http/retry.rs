//! Whether a request that failed before anything was said is sent again, and when.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::StatusCode;

use crate::model::provider::Patience;

/// Whether the provider may answer the same request a little later.
pub(super) fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// How long to wait before the attempt after this one (from 1); none where there is no further one.
///
/// What the provider asks for counts, in seconds. Without that the waits double, and differ a little between
/// callers, so that many of them do not come back at one moment.
pub(super) fn wait_after(attempt: u32, asked: Option<&str>, patience: &Patience) -> Option<Duration> {
    if attempt >= patience.attempts {
        return None;
    }
    let wait = match asked.and_then(|text| text.trim().parse::<f64>().ok()) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        None => {
            let doubled = patience.backoff.saturating_mul(1 << (attempt.saturating_sub(1)).min(16));
            doubled.min(patience.longest_wait).mul_f64(0.75 + 0.25 * chance())
        }
    };
    (wait <= patience.longest_wait).then_some(wait)
}

/// A number from 0 to 1 that differs from caller to caller; nothing depends on how well.
fn chance() -> f64 {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    f64::from(nanos % 1_000) / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_what_is_asked_for_counts() {
        let patience = Patience { attempts: 20, ..Patience::default() };
        for (attempt, most) in [(1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0), (12, 60.0)] {
            let wait = wait_after(attempt, None, &patience).unwrap().as_secs_f64();
            assert!(wait <= most && wait >= most * 0.75, "{attempt}: {wait}");
        }
        assert_eq!(wait_after(1, Some(" 7 "), &patience), Some(Duration::from_secs(7)));
        assert_eq!(wait_after(1, Some("0.25"), &patience), Some(Duration::from_millis(250)));
        assert_eq!(wait_after(1, Some("61"), &patience), None, "longer than anyone waits");
        assert_eq!(wait_after(1, Some("-1"), &patience), None);
        assert_eq!(wait_after(20, None, &patience), None, "it was the last attempt");
        // A date is not read; the usual wait is good enough.
        assert!(wait_after(1, Some("Wed, 21 Oct 2026 07:28:00 GMT"), &patience).is_some());
    }
}
