import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answersNotedIn } from '#gateway/access-paths.ts'
import { openAccessAudit } from '#gateway/domain/access-audit.ts'
import { tempStore, withoutRoom } from '../../../support/temp-store.ts'

let temp: ReturnType<typeof tempStore>
beforeEach(() => {
  temp = tempStore()
})
afterEach(() => temp[Symbol.dispose]())

const faults: unknown[] = []
const open = () => openAccessAudit({ ...temp, onError: (error) => void faults.push(error) })
const entries = () =>
  temp.store.audit
    .list({ limit: 100 })
    .items.reverse()
    .map(({ actor, action, target }) => `${actor} ${action} ${target}`)

describe('a look at patient data', () => {
  it('is one entry per person, kind and study within a quarter of an hour', async () => {
    {
      await using accesses = open()
      const note = answersNotedIn(accesses)
      for (const userId of ['usr_1', 'usr_2', 'usr_1']) {
        note('/dashboard/studies', {}, { userId })
        note('/dashboard/images/:studyInstanceUid', { studyInstanceUid: '1.2.3' }, { userId })
        note('/dashboard/settings', {}, { userId })
      }
      note('/dashboard/images/:studyInstanceUid', { studyInstanceUid: '1.2.4' }, { userId: 'usr_1' })
      temp.clock.pass(14 * 60_000)
      note('/dashboard/studies', {}, { userId: 'usr_1' })
      temp.clock.pass(60_000)
      note('/dashboard/studies', {}, { userId: 'usr_1' })
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

  it('of a partner’s key is one entry for each operation', async () => {
    {
      await using accesses = open()
      const note = answersNotedIn(accesses)
      for (const studyId of ['stu_1', 'stu_2']) note('/v1/scribe/studies/:studyId', { studyId }, { apiKeyId: 'key_1' })
      note('/v1/users', {}, { apiKeyId: 'key_1' })
    }
    expect(entries()).toEqual(['api-key:key_1 read.interface GET /v1/scribe/studies/:studyId'])
  })

  it('is noted again where it could not be written', async () => {
    {
      using _ = withoutRoom(temp.store, 'read-only')
      await using accesses = open()
      accesses.note({ actor: 'user:usr_1', action: 'read.list', target: 'studies' })
    }
    expect(faults).toHaveLength(1)
    expect(entries()).toEqual([])
  })
})
