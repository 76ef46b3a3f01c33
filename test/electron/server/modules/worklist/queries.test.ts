import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { insertInspection, purgeInspections } from '#server/modules/worklist/inspection-queries.ts'
import {
  type AnswerRecord,
  deleteAnswersOf,
  findCoveringAnswer,
  purgeAnswers,
  purgeUnreferencedDocuments,
  putAnswer,
  readDocument,
  storeDocument,
} from '#server/modules/worklist/queries.ts'
import { inspectionRecord } from '../../../../support/inspection-record.ts'
import { runs } from '../../../../support/property-runs.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const ASKED = { callingAe: 'CT1', dateStart: '2026-03-10', dateEnd: '2026-03-10', modality: 'CT' }

function keeper() {
  const temp = tempStore()
  const documentHash = storeDocument(temp.store, Buffer.from('[]'))
  const put = (differs: Partial<AnswerRecord>) => {
    const answer = {
      ...ASKED,
      documentHash,
      receivedAt: '2026-03-10T09:00:00.000Z',
      items: 3,
      ...differs,
    }
    putAnswer(temp.store.database, answer)
    return answer
  }
  return Object.assign(temp, { put, database: temp.store.database })
}

describe('stored answers', () => {
  it('answer the question they were given to', () => {
    using temp = keeper()
    const answer = temp.put({})
    expect(findCoveringAnswer(temp.database, ASKED)).toEqual(answer)
    const broad = temp.put({ modality: null, receivedAt: '2026-03-10T09:01:00.000Z' })
    expect(findCoveringAnswer(temp.database, { ...ASKED, modality: null })).toEqual(broad)
  })

  it('give way to the next answer to the same question', () => {
    using temp = keeper()
    temp.put({ items: 3 })
    const next = temp.put({ items: 4, receivedAt: '2026-03-10T09:05:00.000Z' })
    expect(findCoveringAnswer(temp.database, ASKED)).toEqual(next)
    expect(deleteAnswersOf(temp.database, 'CT1')).toBe(1)
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
    expect(findCoveringAnswer(temp.database, ASKED)).toEqual(covers ? answer : undefined)
  })

  it('of one modality do not answer a question for all', () => {
    using temp = keeper()
    temp.put({})
    expect(findCoveringAnswer(temp.database, { ...ASKED, modality: null })).toBeUndefined()
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
    expect(findCoveringAnswer(temp.database, ASKED)).toEqual(newer)
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
    expect(deleteAnswersOf(temp.database, 'CT1')).toBe(2)
    expect(findCoveringAnswer(temp.database, ASKED)).toBeUndefined()
    expect(purgeAnswers(temp.database, '2026-03-10T10:00:00.000Z')).toBe(0)
    expect(findCoveringAnswer(temp.database, { ...ASKED, callingAe: 'MR1' })).toEqual(other)
    expect(purgeAnswers(temp.database, '2026-03-10T10:00:00.001Z')).toBe(1)
  })

  it('refuse a window that ends before it begins', () => {
    using temp = keeper()
    expect(() => temp.put({ dateEnd: '2026-03-09' })).toThrow('CHECK constraint failed')
  })
})

const AT = '2026-03-10T09:00:00.000Z'
const HOUR = 60 * 60_000
const rows = (temp: ReturnType<typeof tempStore>) =>
  temp.store.database.all(
    temp.store.database.sql.selectFrom('documents').select(['hash', 'sealed', 'byteLength']),
  )

describe('documents', () => {
  it('are kept under the SHA-256 of their bytes and read again, whatever the bytes', () => {
    using temp = tempStore()

    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const hash = storeDocument(temp.store, Buffer.from(bytes))
        expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'))
        expect(readDocument(temp.store, hash)?.equals(bytes)).toBe(true)
      }),
      runs(100),
    )
    expect(readDocument(temp.store, 'f'.repeat(64))).toBeUndefined()
  })

  it('are written once, compressed', () => {
    using temp = tempStore()
    const body = Buffer.from(
      JSON.stringify(Array(1000).fill({ Modality: 'CT', PatientID: 'PAT-4711' })),
    )
    storeDocument(temp.store, body)
    const [first] = rows(temp)
    storeDocument(temp.store, body)
    expect(rows(temp)).toEqual([first])
    expect(first?.byteLength).toBe(body.length)
    expect(first?.sealed.length).toBeLessThan(body.length / 20)
  })

  it('are not read when somebody changed them or put one in the place of another', () => {
    using temp = tempStore()
    const { database } = temp.store
    const [one, two] = [
      storeDocument(temp.store, Buffer.from('one')),
      storeDocument(temp.store, Buffer.from('two')),
    ]
    const sealed = rows(temp).find((row) => row.hash === one)?.sealed ?? Buffer.alloc(0)
    database.run(database.sql.updateTable('documents').set({ sealed }).where('hash', '=', two))
    expect(() => readDocument(temp.store, two)).toThrow('cannot be opened')
    expect(readDocument(temp.store, one)?.toString()).toBe('one')
  })

  it('are forgotten when nothing refers to them and an hour has passed', () => {
    using temp = tempStore()
    const { database } = temp.store
    const [answer, served, verdict, lone] = ['answer', 'served', 'verdict', 'lone'].map((text) =>
      storeDocument(temp.store, Buffer.from(text)),
    )
    const question = {
      callingAe: 'CT1',
      dateStart: '2026-03-10',
      dateEnd: '2026-03-10',
      modality: null,
    }
    putAnswer(database, { ...question, documentHash: answer ?? '', receivedAt: AT, items: 1 })
    insertInspection(database, {
      ...inspectionRecord(AT),
      answerHash: served ?? null,
      verdictHash: verdict ?? null,
    })
    expect(purgeUnreferencedDocuments(temp.store)).toBe(0)
    temp.clock.pass(HOUR + 1)
    expect(purgeUnreferencedDocuments(temp.store)).toBe(1)
    expect(readDocument(temp.store, lone ?? '')).toBeUndefined()
    deleteAnswersOf(database, 'CT1')
    expect(purgeUnreferencedDocuments(temp.store)).toBe(1)
    purgeInspections(database, '2027-01-01T00:00:00.000Z')
    expect(purgeUnreferencedDocuments(temp.store, 1)).toBe(1)
    expect(purgeUnreferencedDocuments(temp.store, 1)).toBe(1)
    expect(rows(temp)).toEqual([])
  })

  it('have another hour when they are kept again', () => {
    using temp = tempStore()

    storeDocument(temp.store, Buffer.from('again'))
    temp.clock.pass(HOUR - 1)
    storeDocument(temp.store, Buffer.from('again'))
    temp.clock.pass(HOUR - 1)
    expect(purgeUnreferencedDocuments(temp.store)).toBe(0)
    temp.clock.pass(2)
    expect(purgeUnreferencedDocuments(temp.store)).toBe(1)
  })
})
