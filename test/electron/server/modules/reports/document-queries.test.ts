import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inspectionRecord } from '../../../../support/inspection-record.ts'
import { runs } from '../../../../support/property-runs.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const HOUR = 60 * 60_000
const rows = (temp: ReturnType<typeof tempStore>) =>
  temp.store.database.all(
    temp.store.database.sql.selectFrom('documents').select(['hash', 'sealed', 'byteLength']),
  )

describe('documents', () => {
  it('are kept under the SHA-256 of their bytes and read again, whatever the bytes', () => {
    using temp = tempStore()
    const { documents } = temp.store
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const hash = documents.keep(Buffer.from(bytes))
        expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'))
        expect(documents.read(hash)?.equals(bytes)).toBe(true)
      }),
      runs(100),
    )
    expect(documents.read('f'.repeat(64))).toBeUndefined()
  })

  it('are written once, compressed', () => {
    using temp = tempStore()
    const body = Buffer.from(
      JSON.stringify(Array(1000).fill({ Modality: 'CT', PatientID: 'PAT-4711' })),
    )
    temp.store.documents.keep(body)
    const [first] = rows(temp)
    temp.store.documents.keep(body)
    expect(rows(temp)).toEqual([first])
    expect(first?.byteLength).toBe(body.length)
    expect(first?.sealed.length).toBeLessThan(body.length / 20)
  })

  it('are not read when somebody changed them or put one in the place of another', () => {
    using temp = tempStore()
    const { documents, database } = temp.store
    const [one, two] = [documents.keep(Buffer.from('one')), documents.keep(Buffer.from('two'))]
    const sealed = rows(temp).find((row) => row.hash === one)?.sealed ?? Buffer.alloc(0)
    database.run(database.sql.updateTable('documents').set({ sealed }).where('hash', '=', two))
    expect(() => documents.read(two)).toThrow('cannot be opened')
    expect(documents.read(one)?.toString()).toBe('one')
  })

  it('are forgotten when nothing refers to them and an hour has passed', () => {
    using temp = tempStore()
    const { documents, answers, inspections } = temp.store
    const [answer, served, verdict, lone] = ['answer', 'served', 'verdict', 'lone'].map((text) =>
      documents.keep(Buffer.from(text)),
    )
    const question = {
      callingAe: 'CT1',
      dateStart: '2026-03-10',
      dateEnd: '2026-03-10',
      modality: null,
    }
    answers.put({ ...question, documentHash: answer ?? '', receivedAt: AT, items: 1 })
    inspections.insert({
      ...inspectionRecord(AT),
      answerHash: served ?? null,
      verdictHash: verdict ?? null,
    })
    expect(documents.purgeUnreferenced()).toBe(0)
    temp.clock.pass(HOUR + 1)
    expect(documents.purgeUnreferenced()).toBe(1)
    expect(documents.read(lone ?? '')).toBeUndefined()
    answers.forget('CT1')
    expect(documents.purgeUnreferenced()).toBe(1)
    inspections.purge('2027-01-01T00:00:00.000Z')
    expect(documents.purgeUnreferenced(1)).toBe(1)
    expect(documents.purgeUnreferenced(1)).toBe(1)
    expect(rows(temp)).toEqual([])
  })

  it('have another hour when they are kept again', () => {
    using temp = tempStore()
    const { documents } = temp.store
    documents.keep(Buffer.from('again'))
    temp.clock.pass(HOUR - 1)
    documents.keep(Buffer.from('again'))
    temp.clock.pass(HOUR - 1)
    expect(documents.purgeUnreferenced()).toBe(0)
    temp.clock.pass(2)
    expect(documents.purgeUnreferenced()).toBe(1)
  })
})
