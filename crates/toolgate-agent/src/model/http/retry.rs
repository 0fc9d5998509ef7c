//! Whether a request that failed before anything was said is sent again, and when.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::StatusCode;
use jiff::fmt::rfc2822;

use crate::model::provider::Patience;

/// Whether the provider may answer the same request a little later.
pub(super) fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// How long to wait before the attempt after this one (from 1); none where there is no further one.
///
/// What the provider asks for counts: a number of seconds, or the date at which to come back. Without that the waits double, and differ a little between
/// callers, so that many of them do not come back at one moment.
pub(super) fn wait_after(
    attempt: u32,
    asked: Option<&str>,
    patience: &Patience,
    now: SystemTime,
) -> Option<Duration> {
    if attempt >= patience.attempts {
        return None;
    }
    let wait = match asked.map(|text| asked_for(text.trim(), now)) {
        Some(Asked::Wait(wait)) => wait,
        Some(Asked::Never) => return None,
        Some(Asked::Unreadable) | None => {
            let doubled = patience.backoff.saturating_mul(1 << (attempt.saturating_sub(1)).min(16));
            doubled.min(patience.longest_wait).mul_f64(0.75 + 0.25 * chance())
        }
    };
    (wait <= patience.longest_wait).then_some(wait)
}

/// What a provider asks for.
enum Asked {
    Wait(Duration),
    /// A time that is not to come.
    Never,
    Unreadable,
}

fn asked_for(text: &str, now: SystemTime) -> Asked {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_or(Asked::Never, Asked::Wait);
    }
    match rfc2822::parse(text) {
        // A date that has passed means now.
        Ok(date) => {
            Asked::Wait(SystemTime::from(date.timestamp()).duration_since(now).unwrap_or(Duration::ZERO))
        }
        Err(_) => Asked::Unreadable,
    }
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
        // Wed, 21 Oct 2026 07:28:00 GMT
        let now = UNIX_EPOCH + Duration::from_secs(1_792_567_680);
        let wait_after = |attempt, asked| wait_after(attempt, asked, &patience, now);
        for (attempt, most) in [(1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0), (12, 60.0)] {
            let wait = wait_after(attempt, None).unwrap().as_secs_f64();
            assert!(wait <= most && wait >= most * 0.75, "{attempt}: {wait}");
        }
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(wait_after(1, Some(" 7 ")), seconds(7));
        assert_eq!(wait_after(1, Some("0.25")), Some(Duration::from_millis(250)));
        assert_eq!(wait_after(1, Some("61")), None, "longer than anyone waits");
        assert_eq!(wait_after(1, Some("-1")), None);
        assert_eq!(wait_after(20, None), None, "it was the last attempt");
        assert_eq!(wait_after(1, Some("Wed, 21 Oct 2026 07:28:09 GMT")), seconds(9));
        assert_eq!(wait_after(1, Some("Wed, 21 Oct 2026 07:27:00 GMT")), seconds(0), "it has passed");
        assert_eq!(wait_after(1, Some("Wed, 21 Oct 2026 07:30:00 GMT")), None, "longer than anyone waits");
        // What cannot be read is as good as nothing.
        assert!(wait_after(1, Some("soon")).is_some());
    }
}
