import { expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { followedCorrection } from '#server/modules/corrections/correction-addendum.ts'

const at = (minute: number) => `2026-11-20T09:${String(minute).padStart(2, '0')}:00.000Z`

/** Corrections of a study at these minutes; the newest of a span is found. */
function storeWith(...minutes: number[]) {
  const asked: unknown[] = []
  const correctionIn: Context['correctionNotices']['correctionIn'] = (
    studyInstanceUid,
    { from, to },
  ) => {
    asked.push([studyInstanceUid, from, to])
    const found = minutes.findLast((minute) => at(minute) >= from && at(minute) <= to)
    return found === undefined
      ? undefined
      : { correctionId: `cor_${found}`, at: at(found), what: 'corrected' }
  }
  return { store: { correctionNotices: { correctionIn } } as unknown as Context, asked }
}
const signed = (...minutes: (number | null)[]) =>
  minutes.map((minute) => ({ signedAt: minute === null ? null : at(minute) }))

it('an addendum follows the correction that was made after the reports before it were signed', () => {
  const { store, asked } = storeWith(5, 15, 25)
  const followed = (earlier: (number | null)[], minute: number) =>
    followedCorrection(store, '1.2.3', { earlier: signed(...earlier), signedAt: at(minute) })
  expect(followed([10], 20)).toMatchObject({ correctionId: 'cor_15', at: at(15) })
  expect(asked).toEqual([['1.2.3', at(10), at(20)]])
  // The newest of the reports counts, in whatever order they come; a draft is not signed.
  expect(followed([18, 10, null], 20)).toBeNull()
  expect(followed([10, 18], 30)).toMatchObject({ correctionId: 'cor_25' })
  expect(followed([20], 22)).toBeNull()
})

it('the first report follows no correction, whatever was corrected before', () => {
  const { store, asked } = storeWith(5)
  expect(followedCorrection(store, '1.2.3', { earlier: [], signedAt: at(20) })).toBeNull()
  expect(followedCorrection(store, '1.2.3', { earlier: signed(null), signedAt: at(20) })).toBeNull()
  expect(asked).toEqual([])
})
