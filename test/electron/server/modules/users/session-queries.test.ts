import { describe, expect, it } from 'vitest'
import type { SessionRecord } from '#server/modules/users/session-queries.ts'
import { newUser } from '../../../../support/callers.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const LATER = '2026-03-10T09:05:00.000Z'

/** A store with a user; sessions are named by one hexadecimal digit. */
function stage() {
  const temp = tempStore(AT)
  const { sessions } = temp.store
  const { userId } = newUser(temp.store)
  const insert = (name: string, more: Partial<SessionRecord> = {}) => {
    const session: SessionRecord = {
      ...{
        tokenHash: name.repeat(64),
        sessionId: name,
        userId,
        browser: '',
        address: '',
        workstationId: null,
      },
      ...{
        createdAt: AT,
        lastUsedAt: AT,
        expiresAt: '2026-03-10T21:00:00.000Z',
        lockedAt: null,
        wrongPasswords: 0,
        confirmedAt: null,
        ...more,
      },
    }
    sessions.insert(session)
    return session
  }
  const left = () => ['a', 'b', 'c'].filter((name) => sessions.byId(name))
  return Object.assign(temp, { sessions, insert, left, userId })
}

describe('sessions', () => {
  it('are found by the hash of their token, and by an id that opens nothing', () => {
    using on = stage()
    const [a, b] = [
      on.insert('a'),
      on.insert('b', { browser: 'Chrome on Windows', address: '10.0.0.7' }),
    ]
    expect([on.sessions.get(a.tokenHash), on.sessions.byId('b')]).toEqual([a, b])
    expect([on.sessions.get('a'), on.sessions.byId(a.tokenHash)]).toEqual([undefined, undefined])
  })

  it('are of a user that is there', () => {
    using on = stage()
    expect(() => on.insert('a', { userId: 'usr_nobody' })).toThrow('FOREIGN KEY constraint failed')
  })

  it('are listed until they end, last used first, and by their id where that is the same', () => {
    using on = stage()
    on.insert('c')
    on.insert('b')
    on.insert('a', { expiresAt: LATER })
    const at = (now: string) => on.sessions.list(now).map(({ sessionId }) => sessionId)
    expect(at(AT)).toEqual(['a', 'b', 'c'])
    on.sessions.noteUse('c'.repeat(64), LATER)
    expect(on.sessions.byId('c')?.lastUsedAt).toBe(LATER)
    expect(at(AT)).toEqual(['c', 'a', 'b'])
    expect(at(LATER)).toEqual(['c', 'b'])
  })

  it('count wrong passwords from the lock on, and forget them at the next', () => {
    using on = stage()
    const { tokenHash } = on.insert('a')
    const other = on.insert('b')
    on.sessions.lock(tokenHash, AT)
    expect([
      on.sessions.noteWrongPassword(tokenHash),
      on.sessions.noteWrongPassword(tokenHash),
    ]).toEqual([1, 2])
    expect(on.sessions.byId('a')).toMatchObject({ lockedAt: AT, wrongPasswords: 2 })
    on.sessions.unlock(tokenHash, LATER)
    expect(on.sessions.byId('a')).toMatchObject({
      lockedAt: null,
      wrongPasswords: 0,
      lastUsedAt: LATER,
    })
    on.sessions.noteWrongPassword(tokenHash)
    on.sessions.lock(tokenHash, LATER)
    expect(on.sessions.byId('a')).toMatchObject({ lockedAt: LATER, wrongPasswords: 0 })
    expect(on.sessions.noteWrongPassword('f'.repeat(64))).toBe(0)
    expect(on.sessions.byId('b')).toEqual(other)
  })

  it('are removed one by one, of a user but for one, at a workstation, and where they have ended', () => {
    using on = stage()
    const { sessions, insert, left } = on
    const { tokenHash } = insert('a')
    expect([sessions.remove(tokenHash), sessions.remove(tokenHash), left()]).toEqual([
      true,
      false,
      [],
    ])
    for (const name of ['a', 'b', 'c'])
      insert(name, name === 'c' ? { userId: newUser(on.store).userId } : {})
    expect([sessions.removeOf(on.userId, tokenHash), left()]).toEqual([1, ['a', 'c']])
    expect([sessions.removeOf(on.userId), left()]).toEqual([1, ['c']])
    insert('a', { workstationId: 'pc-1' })
    insert('b', { workstationId: 'pc-2' })
    expect([sessions.removeAt('pc-1'), left()]).toEqual([1, ['b', 'c']])
    insert('a', { expiresAt: LATER })
    expect([sessions.purge('2026-03-10T09:04:59.999Z'), sessions.purge(LATER), left()]).toEqual([
      0,
      1,
      ['b', 'c'],
    ])
  })

  it('report after the commit that one was ended or locked, also where none was there, until that is stopped', () => {
    using on = stage()
    const { sessions, store } = on
    let heard = 0
    const stop = sessions.onClosed(() => {
      heard += 1
    })
    const { tokenHash } = on.insert('a')
    sessions.noteUse(tokenHash, LATER)
    sessions.unlock(tokenHash, LATER)
    sessions.purge(LATER)
    expect(heard).toBe(0)
    store.database.transaction(() => {
      sessions.lock(tokenHash, LATER)
      expect(heard).toBe(0)
    })
    expect(heard).toBe(1)
    sessions.remove(tokenHash)
    sessions.remove(tokenHash)
    sessions.removeOf(on.userId)
    sessions.removeAt('pc-1')
    expect(heard).toBe(5)
    stop()
    sessions.remove(tokenHash)
    expect(heard).toBe(5)
  })
})
