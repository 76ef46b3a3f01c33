import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openAccessAudit } from '#server/modules/audit/access-audit.ts'
import { accessRecorder } from '#server/modules/audit/access-paths.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { reportedErrors, tempStore, withoutRoom } from '../../../../support/temp-store.ts'

let temp: ReturnType<typeof tempStore>
beforeEach(() => {
  temp = tempStore()
})
afterEach(() => temp[Symbol.dispose]())

const open = () => openAccessAudit(temp.store)
const entries = () =>
  temp.store.audit
    .list({ limit: 100 })
    .items.reverse()
    .map(({ actor, action, target }) => `${actor} ${action} ${target}`)

describe('a look at patient data', () => {
  it('is one entry per person, kind and study within a quarter of an hour', async () => {
    {
      await using accesses = open()
      const note = accessRecorder(accesses)
      for (const userId of ['usr_1', 'usr_2', 'usr_1']) {
        note({ method: 'GET', path: '/dashboard/studies' }, {}, { userId })
        note(
          { method: 'GET', path: '/dashboard/images/:studyInstanceUid' },
          { studyInstanceUid: '1.2.3' },
          { userId },
        )
        note({ method: 'GET', path: '/dashboard/settings' }, {}, { userId })
      }
      note(
        { method: 'GET', path: '/dashboard/images/:studyInstanceUid' },
        { studyInstanceUid: '1.2.4' },
        { userId: 'usr_1' },
      )
      temp.clock.pass(14 * 60_000)
      note({ method: 'GET', path: '/dashboard/studies' }, {}, { userId: 'usr_1' })
      temp.clock.pass(60_000)
      note({ method: 'GET', path: '/dashboard/studies' }, {}, { userId: 'usr_1' })
    }
    expect(entries()).toEqual([
      'user:usr_1 read.list studies',
      'user:usr_1 read.images 1.2.3',
      'user:usr_2 read.list studies',
      'user:usr_2 read.images 1.2.3',
      'user:usr_1 read.images 1.2.4',
      'user:usr_1 read.list studies',
    ])
  })

  it('by DICOMweb is one entry for each key and study, and one for searches', async () => {
    {
      await using accesses = open()
      const note = accessRecorder(accesses)
      const studies = '/dicom-web/studies'
      const frames = `${studies}/:studyInstanceUid/series/:seriesInstanceUid/instances/:sopInstanceUid/frames/*`
      for (const apiKeyId of ['key_1', 'key_2', 'key_1']) {
        note({ method: 'GET', path: studies }, {}, { apiKeyId })
        note({ method: 'GET', path: frames }, { studyInstanceUid: '1.2.3' }, { apiKeyId })
        note({ method: 'POST', path: studies }, {}, { apiKeyId })
      }
      note({ method: 'GET', path: frames }, { studyInstanceUid: '1.2.4' }, { apiKeyId: 'key_1' })
    }
    expect(entries()).toEqual([
      'api-key:key_1 read.query QIDO-RS',
      'api-key:key_1 read.images 1.2.3',
      'api-key:key_2 read.query QIDO-RS',
      'api-key:key_2 read.images 1.2.3',
      'api-key:key_1 read.images 1.2.4',
    ])
  })

  it('of a partner’s key is one entry for each operation', async () => {
    {
      await using accesses = open()
      const note = accessRecorder(accesses)
      for (const studyId of ['stu_1', 'stu_2'])
        note(
          { method: 'GET', path: '/v1/scribe/studies/:studyId' },
          { studyId },
          { apiKeyId: 'key_1' },
        )
      note({ method: 'GET', path: '/v1/users' }, {}, { apiKeyId: 'key_1' })
    }
    expect(entries()).toEqual(['api-key:key_1 read.interface GET /v1/scribe/studies/:studyId'])
  })

  it('is noted again where it could not be written', async () => {
    const look = { actor: 'user:usr_1', action: 'read.list', target: 'studies' } as const
    const errors = reportedErrors(temp.store)
    await using accesses = open()
    const full = withoutRoom(temp.store, 'read-only')
    accesses.note(look)
    await expect.poll(() => errors, { timeout: 5000 }).toMatchObject([{ code: 'SQLITE_READONLY' }])
    full[Symbol.dispose]()
    expect(entries()).toEqual([])
    accesses.note(look)
    await accesses[Symbol.asyncDispose]()
    expect(entries()).toEqual(['user:usr_1 read.list studies'])
  })

  it('of a person is noted for each call of the interface that shows patient data', async () => {
    const calls = [...Object.values(scribe), ...Object.values(viewer)].filter(
      ({ method, path }) => method === 'GET' && /studies|reports/.test(path),
    )
    const noted: (string | undefined)[] = []
    const note = accessRecorder({
      note: ({ action, target }) => void noted.push(`${action} ${target}`),
    })
    for (const call of calls) {
      const before = noted.length
      note(call, { studyId: 'stu_1', studyInstanceUid: '1.2.3' }, { userId: 'usr_1' })
      expect([call.path, noted.length]).toEqual([call.path, before + 1])
    }
    expect(new Set(noted)).toEqual(
      new Set(['read.list studies', 'read.study stu_1', 'read.study 1.2.3', 'read.report stu_1']),
    )
  })

  it('is noted for questions by POST, and not for changes', () => {
    const noted: string[] = []
    const note = accessRecorder({
      note: ({ action, target }) => void noted.push(`${action} ${target}`),
    })
    for (const path of [
      '/dashboard/worklist/ask',
      '/dashboard/worklist/explain',
      '/dashboard/studies',
    ])
      note({ method: 'POST', path }, {}, { userId: 'usr_1' })
    expect(noted).toEqual(['read.list queries', 'read.list exams'])
  })
})
