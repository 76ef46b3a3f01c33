import { describe, expect, it } from 'vitest'
import { openApiDocument } from '#server/http/openapi.ts'
import { isExhausted, RETRY_SCHEDULES, retryDelayMs } from '#server/jobs/retry-schedules.ts'

const { forwarding, mail } = RETRY_SCHEDULES
const minutes = (failed: number) => (retryDelayMs(forwarding, failed) ?? 0) / 60_000

describe('a retry schedule', () => {
  it('repeats its last wait, or ends', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 1000].map(minutes)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
    expect([1, 8, 9].map((failed) => retryDelayMs(mail, failed))).toEqual([
      60_000,
      36 * 3_600_000,
      undefined,
    ])
  })

  it('of a report is the one that the OpenAPI document describes', () => {
    const worded = RETRY_SCHEDULES.reportDelivery.waits.map((ms) =>
      ms < 60_000
        ? `${ms / 1000} s`
        : ms < 3_600_000
          ? `${ms / 60_000} min`
          : `${ms / 3_600_000} h`,
    )
    const text = `${worded.slice(0, -1).join(', ')} and ${worded.at(-1)}, and then every`
    expect(JSON.stringify(openApiDocument({ version: '1' }))).toContain(text)
  })

  it('gives an instance up when its pauses come to more than the hours that are set', () => {
    // 1 + 2 + 4 + 8 + 16 = 31 minutes, and 32 more.
    expect(isExhausted(forwarding, 5, 1)).toBe(false)
    expect(isExhausted(forwarding, 6, 1)).toBe(true)
    // 63 minutes, then one an hour.
    expect(isExhausted(forwarding, 76, 72)).toBe(false)
    expect(isExhausted(forwarding, 77, 72)).toBe(true)
  })
})
