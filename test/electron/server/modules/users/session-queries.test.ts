import { describe, expect, it } from 'vitest'
import * as queries from '#server/modules/users/session-queries.ts'
import { sessionState } from '#server/modules/users/session-state.ts'
import * as sessionService from '#server/modules/users/sessions.ts'
import { bound } from '../../../../support/bound.ts'
import { newUser } from '../../../../support/callers.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const LATER = '2026-03-10T09:05:00.000Z'

/** A store with a user; sessions are named by one hexadecimal digit. */
function stage() {
  const temp = tempStore(AT)
  const sessions = bound(queries, temp.store.database)
  const { userId } = newUser(temp.store)
  const insert = (name: string, more: Partial<queries.SessionRecord> = {}) => {
    const session: queries.SessionRecord = {
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
        sealedIdToken: null,
        ...more,
      },
    }
    sessions.insertSession(session)
    return session
  }
  const left = () => ['a', 'b', 'c'].filter((name) => sessions.sessionById(name))
  return Object.assign(temp, { sessions, insert, left, userId })
}

describe('sessions', () => {
  it('are found by the hash of their token, and by an id that opens nothing', () => {
    using on = stage()
    const [a, b] = [
      on.insert('a'),
      on.insert('b', { browser: 'Chrome on Windows', address: '10.0.0.7' }),
    ]
    expect([on.sessions.findSession(a.tokenHash), on.sessions.sessionById('b')]).toEqual([a, b])
    expect([on.sessions.findSession('a'), on.sessions.sessionById(a.tokenHash)]).toEqual([
      undefined,
      undefined,
    ])
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
    const at = (now: string) => on.sessions.sessionRecords(now).map(({ sessionId }) => sessionId)
    expect(at(AT)).toEqual(['a', 'b', 'c'])
    on.sessions.noteSessionUse('c'.repeat(64), LATER)
    expect(on.sessions.sessionById('c')?.lastUsedAt).toBe(LATER)
    expect(at(AT)).toEqual(['c', 'a', 'b'])
    expect(at(LATER)).toEqual(['c', 'b'])
  })

  it('count wrong passwords from the lock on, and forget them at the next', () => {
    using on = stage()
    const { tokenHash } = on.insert('a')
    const other = on.insert('b')
    on.sessions.setSessionLocked(tokenHash, AT)
    expect([
      on.sessions.noteWrongPassword(tokenHash),
      on.sessions.noteWrongPassword(tokenHash),
    ]).toEqual([1, 2])
    expect(on.sessions.sessionById('a')).toMatchObject({ lockedAt: AT, wrongPasswords: 2 })
    on.sessions.setSessionUnlocked(tokenHash, LATER)
    expect(on.sessions.sessionById('a')).toMatchObject({
      lockedAt: null,
      wrongPasswords: 0,
      lastUsedAt: LATER,
    })
    on.sessions.noteWrongPassword(tokenHash)
    on.sessions.setSessionLocked(tokenHash, LATER)
    expect(on.sessions.sessionById('a')).toMatchObject({ lockedAt: LATER, wrongPasswords: 0 })
    expect(on.sessions.noteWrongPassword('f'.repeat(64))).toBe(0)
    expect(on.sessions.sessionById('b')).toEqual(other)
  })

  it('are removed one by one, of a user but for one, at a workstation, and where they have ended', () => {
    using on = stage()
    const { sessions, insert, left } = on
    const { tokenHash } = insert('a')
    sessions.deleteSession(tokenHash)
    expect(left()).toEqual([])
    for (const name of ['a', 'b', 'c'])
      insert(name, name === 'c' ? { userId: newUser(on.store).userId } : {})
    sessions.deleteSessionsOf(on.userId, tokenHash)
    expect(left()).toEqual(['a', 'c'])
    sessions.deleteSessionsOf(on.userId)
    expect(left()).toEqual(['c'])
    insert('a', { workstationId: 'pc-1' })
    insert('b', { workstationId: 'pc-2' })
    sessions.deleteSessionsAt('pc-1')
    expect(left()).toEqual(['b', 'c'])
    insert('a', { expiresAt: LATER })
    expect([
      sessions.purgeSessions('2026-03-10T09:04:59.999Z'),
      sessions.purgeSessions(LATER),
      left(),
    ]).toEqual([0, 1, ['b', 'c']])
  })

  it('report after the commit that one was ended or locked, also where none was there, until that is stopped', () => {
    using on = stage()
    const { store } = on
    const sessions = bound(sessionService, store)
    let heard = 0
    const stop = sessionState(store.database).onClosed(() => {
      heard += 1
    })
    const user = newUser(store)
    const [one, two] = [sessions.beginSession(user, 'link'), sessions.beginSession(user, 'link')]
    sessions.unlockSession(one.token)
    sessions.runningSession(one.token)
    expect(heard).toBe(0)
    store.database.transaction(() => {
      sessions.lockSession(one.token)
      expect(heard).toBe(0)
    })
    expect(heard).toBe(1)
    sessions.lockThisPc()
    sessions.signOut(one.token)
    expect(heard).toBe(3)
    sessions.endSessionsOf(user.userId)
    sessions.endSessionsOf(user.userId)
    sessions.endSessionsAt('pc-1')
    expect([heard, sessions.runningSession(two.token)]).toEqual([6, undefined])
    stop()
    sessions.endSessionsOf(user.userId)
    expect(heard).toBe(6)
  })
})
