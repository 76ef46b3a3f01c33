/**
 * Returns a function that writes a day of the clinic, `20261120` (PS3.5 DA) or `2026-11-20`, as `20
 * Nov 2026`. A day never passes through `Date`, because it has no time zone. Anything else is
 * returned as it is.
 */
export function openDayText(locale: string): (day: string) => string {
  const monthFormat = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' })
  const months = Array.from({ length: 12 }, (_, month) =>
    monthFormat.format(Date.UTC(2000, month, 1)),
  )
  return (day) => {
    const match = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(day.trim())
    const month = months[Number(match?.[2]) - 1]
    return match && month ? `${Number(match[3])} ${month} ${match[1]}` : day
  }
}
