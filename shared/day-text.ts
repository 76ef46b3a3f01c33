/**
 * Returns a function that writes a day of the clinic, `20261120` (PS3.5 DA) or `2026-11-20`, as `20
 * Nov 2026`. A day never passes through `Date`, because it has no time zone. Anything else is
 * returned as it is.
 */
export function openDayText(locale: string): (day: string) => string {
  // The first `Intl.DateTimeFormat` of a page takes tens of milliseconds, so it is made when a day is
  // first written, not when the page starts.
  let months: readonly string[] | undefined
  return (day) => {
    const match = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(day.trim())
    months ??= monthNames(locale)
    const month = months[Number(match?.[2]) - 1]
    return match && month ? `${Number(match[3])} ${month} ${match[1]}` : day
  }
}

function monthNames(locale: string): readonly string[] {
  const format = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, month) => format.format(Date.UTC(2000, month, 1)))
}
