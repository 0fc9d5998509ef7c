//! The clock of a program: the time of day, in UTC, because a worker knows no time zone.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use monty_types::{MontyDate, MontyDateTime, MontyObject, MontyTimeZone};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Today's date.
pub(super) fn today() -> MontyObject {
    let (year, month, day) = date(seconds(since_epoch()).div_euclid(DAY));
    MontyObject::Date(MontyDate { year, month, day })
}

/// The date and time of this moment, in a time zone, or as UTC without one.
pub(super) fn now(zone: Option<MontyTimeZone>) -> MontyObject {
    let time = since_epoch();
    let offset = zone.as_ref().map(|zone| zone.offset_seconds);
    let local = seconds(time) + i64::from(offset.unwrap_or_default());
    let (year, month, day) = date(local.div_euclid(DAY));
    let second = local.rem_euclid(DAY);
    let part = |value: i64| u8::try_from(value).unwrap_or_default();
    MontyObject::DateTime(MontyDateTime {
        year,
        month,
        day,
        hour: part(second / 3_600),
        minute: part(second / 60 % 60),
        second: part(second % 60),
        microsecond: time.subsec_micros(),
        offset_seconds: offset,
        timezone_name: zone.and_then(|zone| zone.name),
    })
}

fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn seconds(time: Duration) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or_default()
}

/// The date of a day that is counted from 1970: years are taken to begin in March, so that the day of a leap year is
/// the last one.
fn date(days: i64) -> (i32, u8, u8) {
    const ERA: i64 = 146_097;
    let days = days + 719_468;
    let of_era = days.rem_euclid(ERA);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + days.div_euclid(ERA) * 400 + i64::from(month <= 2);
    let narrow = |value: i64| u8::try_from(value).unwrap_or_default();
    (i32::try_from(year).unwrap_or_default(), narrow(month), narrow(day))
}
