import { describe, expect, it } from 'vitest'
import type { AnswerRecord } from '#server/modules/worklist/cached-answer-queries.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const ASKED = { callingAe: 'CT1', dateStart: '2026-03-10', dateEnd: '2026-03-10', modality: 'CT' }

function keeper() {
  const temp = tempStore()
  const documentHash = temp.store.documents.keep(Buffer.from('[]'))
  const put = (differs: Partial<AnswerRecord>) => {
    const answer = {
      ...ASKED,
      documentHash,
      receivedAt: '2026-03-10T09:00:00.000Z',
      items: 3,
      ...differs,
    }
    temp.store.answers.put(answer)
    return answer
  }
  return Object.assign(temp, { put, answers: temp.store.answers })
}

describe('stored answers', () => {
  it('answer the question they were given to', () => {
    using temp = keeper()
    const answer = temp.put({})
    expect(temp.answers.covering(ASKED)).toEqual(answer)
    const broad = temp.put({ modality: null, receivedAt: '2026-03-10T09:01:00.000Z' })
    expect(temp.answers.covering({ ...ASKED, modality: null })).toEqual(broad)
  })

  it('give way to the next answer to the same question', () => {
    using temp = keeper()
    temp.put({ items: 3 })
    const next = temp.put({ items: 4, receivedAt: '2026-03-10T09:05:00.000Z' })
    expect(temp.answers.covering(ASKED)).toEqual(next)
    expect(temp.answers.forget('CT1')).toBe(1)
  })

  const COVERAGE: [what: string, kept: Partial<AnswerRecord>, covers: boolean][] = [
    ['a wider window', { dateStart: '2026-03-09', dateEnd: '2026-03-11' }, true],
    ['a window that ends where the asked one does', { dateStart: '2026-03-01' }, true],
    ['a window that begins too late', { dateStart: '2026-03-11', dateEnd: '2026-03-12' }, false],
    ['a window that ends too early', { dateStart: '2026-03-08', dateEnd: '2026-03-09' }, false],
    ['all modalities', { modality: null }, true],
    ['another modality', { modality: 'MR' }, false],
    ['another AE', { callingAe: 'CT2' }, false],
  ]
  it.each(COVERAGE)('of %s: covering is %s', (_what, kept, covers) => {
    using temp = keeper()
    const answer = temp.put(kept)
    expect(temp.answers.covering(ASKED)).toEqual(covers ? answer : undefined)
  })

  it('of one modality do not answer a question for all', () => {
    using temp = keeper()
    temp.put({})
    expect(temp.answers.covering({ ...ASKED, modality: null })).toBeUndefined()
  })

  it('answer with the newest that covers', () => {
    using temp = keeper()
    temp.put({ receivedAt: '2026-03-10T09:00:00.000Z' })
    const newer = temp.put({
      dateEnd: '2026-03-12',
      modality: null,
      receivedAt: '2026-03-10T09:02:00.000Z',
    })
    temp.put({ dateStart: '2026-03-09', receivedAt: '2026-03-10T09:01:00.000Z' })
    expect(temp.answers.covering(ASKED)).toEqual(newer)
  })

  it('are forgotten by AE and by age', () => {
    using temp = keeper()
    temp.put({})
    temp.put({ modality: null })
    const other = temp.put({
      callingAe: 'MR1',
      modality: null,
      receivedAt: '2026-03-10T10:00:00.000Z',
    })
    expect(temp.answers.forget('CT1')).toBe(2)
    expect(temp.answers.covering(ASKED)).toBeUndefined()
    expect(temp.answers.purge('2026-03-10T10:00:00.000Z')).toBe(0)
    expect(temp.answers.covering({ ...ASKED, callingAe: 'MR1' })).toEqual(other)
    expect(temp.answers.purge('2026-03-10T10:00:00.001Z')).toBe(1)
  })

  it('refuse a window that ends before it begins', () => {
    using temp = keeper()
    expect(() => temp.put({ dateEnd: '2026-03-09' })).toThrow('CHECK constraint failed')
  })
})
