import { expect, it } from 'vitest'
import {
  correctionsSinceSigned,
  followedCorrection,
} from '#server/modules/reports/correction-instant-queries.ts'
import { correctImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const at = (minute: number) => `2026-11-20T09:${String(minute).padStart(2, '0')}:00.000Z`
const signed = (...minutes: (number | null)[]) =>
  minutes.map((minute) => ({ signedAt: minute === null ? null : at(minute) }))

it('an addendum follows the correction that was made after the reports before it were signed', () => {
  using temp = tempStore()
  const { database } = temp.store
  for (const minute of [5, 15, 25]) correctImages(temp.store, '1.2.3', at(minute))
  const followed = (earlier: (number | null)[], minute: number) =>
    followedCorrection(database, '1.2.3', signed(...earlier), at(minute))?.at
  expect(followed([10], 20)).toBe(at(15))
  // The newest of the reports counts, in whatever order they come; a draft is not signed.
  expect(followed([18, 10, null], 20)).toBeUndefined()
  expect(followed([10, 18], 30)).toBe(at(25))
  expect(followed([20], 22)).toBeUndefined()
  // The first report follows no correction, whatever was corrected before.
  expect([followed([], 20), followed([null], 20)]).toEqual([undefined, undefined])
  const changes = correctionsSinceSigned(database, '1.2.3', signed(10))
  expect(changes.map(({ what, at }) => [what, at])).toEqual([
    ['corrected', at(25)],
    ['corrected', at(15)],
  ])
  expect(correctionsSinceSigned(database, '1.2.3', signed(null))).toEqual([])
})
