import { describe, expect, it } from 'vitest'
import type { CaptureRecord } from '#server/modules/viewer/capture-queries.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T09:00:00.000Z'
const LATER = '2026-11-20T09:05:00.000Z'

const capture = (number: number, differs: Partial<CaptureRecord> = {}): CaptureRecord => ({
  ...{
    captureId: `c${number}`,
    studyId: null,
    studyInstanceUid: '1.2.3',
    sopInstanceUid: `2.25.${number}`,
    seriesInstanceUid: '2.25.9',
  },
  ...{
    ofSopInstanceUid: '1.2.3.1.1',
    ofSeriesInstanceUid: '1.2.3.1',
    apiKeyId: null,
    userId: null,
    state: 'waiting',
  },
  ...{
    urls: 0,
    uploaded: 0,
    attempts: 0,
    nextAt: AT,
    lastError: '',
    createdAt: AT,
    updatedAt: AT,
    ...differs,
  },
})

describe('a secondary capture', () => {
  it('keeps what it is of, and how it stands', () => {
    using temp = tempStore()
    const { captures } = temp.store
    const of = { apiKeyId: newKey(temp.store).apiKeyId, userId: newUser(temp.store).userId }
    captures.insert(capture(1, of))
    expect(captures.get('c1')).toEqual(capture(1, of))
    const tried = {
      state: 'failed',
      urls: 2,
      uploaded: 1,
      attempts: 3,
      nextAt: null,
      lastError: 'The partner gave no answer.',
      updatedAt: LATER,
    }
    captures.update({ ...capture(1, of), ...tried, studyInstanceUid: '9.9' } as CaptureRecord)
    expect(captures.get('c1')).toEqual(capture(1, { ...of, ...tried } as Partial<CaptureRecord>))
    expect(captures.get('c2')).toBeUndefined()
  })

  it('is listed with those of its study, newest first', () => {
    using temp = tempStore()
    const { captures } = temp.store
    captures.insert(capture(1))
    captures.insert(capture(2, { createdAt: LATER }))
    captures.insert(capture(3, { studyInstanceUid: '1.2.4' }))
    expect(captures.ofStudy('1.2.3').map(({ captureId }) => captureId)).toEqual(['c2', 'c1'])
  })

  it('has not more uploads than places, and a UID of its own', () => {
    using temp = tempStore()
    const { captures } = temp.store
    expect(() => captures.insert(capture(1, { uploaded: 1 }))).toThrow('CHECK constraint failed')
    captures.insert(capture(1))
    expect(() => captures.insert(capture(2, { sopInstanceUid: '2.25.1' }))).toThrow(
      'UNIQUE constraint failed',
    )
  })
})
