import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { updateApiKey } from '#server/modules/api-keys/queries.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { findUser, updateUser } from '#server/modules/users/queries.ts'
import * as sessionService from '#server/modules/users/sessions.ts'
import * as userService from '#server/modules/users/users.ts'
import { EPHEMERAL_LIFETIME_SECONDS } from '#server/modules/viewer/links.ts'
import { type NewView, ViewSessions } from '#server/modules/viewer/sessions.ts'
import { ApiError } from '#shared/errors.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { linksOf } from '../../../../support/links.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { PASSWORD, peopleFixture, person } from '../users/people-fixture.ts'

// What lets somebody in, and for how long: used at most once, and never again once it was seen to
// be over, also where the clock of the PC is set back. One store; each run has people, a key and a
// study of its own.

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const moves = fc.record({
  do: fc.constant('move the clock' as const),
  ms: fc.constantFrom(
    5000,
    31_000,
    4 * MINUTE,
    16 * MINUTE,
    45 * MINUTE,
    13 * HOUR,
    -20 * MINUTE,
    -14 * HOUR,
  ),
})
const place = fc.nat({ max: 8 })

const LINK_KINDS = ['viewer', 'reroute', 'viewer-only', 'ephemeral'] as const
type LinkKind = (typeof LINK_KINDS)[number]
interface GivenLink {
  readonly token: string
  readonly kind: LinkKind
  readonly until: number
  isUsed: boolean
  isWithdrawn: boolean
}
interface Begun {
  readonly view: NewView
  readonly kind: LinkKind
  readonly since: number
  usedAt: number
  isOver: boolean
}

/** Code of the refusal, or what it gives. */
function given<T>(work: () => T): T | string {
  try {
    return work()
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

describe('links and the views they begin', () => {
  const stepArbitrary = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('give' as const),
        kind: fc.constantFrom(...LINK_KINDS),
      }),
    },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('follow' as const), at: place }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('look' as const), at: place }) },
    { weight: 4, arbitrary: moves },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), at: place }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'cancel' as const,
          'uncancel' as const,
          'revoke' as const,
          'give back' as const,
          'take the right' as const,
          'end the key' as const,
        ),
      }),
    },
  )

  type Step = typeof stepArbitrary extends fc.Arbitrary<infer S> ? S : never
  /** What some steps have: which link, which of those before, and for how long. */
  interface Details {
    readonly do: Step['do']
    readonly kind?: LinkKind
    readonly at?: number
    readonly ms?: number
  }

  it(
    'open once, only while all they stand on stands, and never after their end',
    () => {
      using temp = tempStore()
      const { store, clock } = temp
      const links = linksOf(store)
      const views = new ViewSessions(store)
      const studies = bound(studyService, temp.store)
      const users = bound(userService, temp.store)
      const owner = atTheWindow(newUser(store, { level: 'owner' }))
      const idleMs = temp.store.settings.get('viewer.idleMinutes') * MINUTE
      const lifeMs = temp.store.settings.get('viewer.sessionHours') * HOUR
      let lives = 0

      fc.assert(
        fc.property(fc.array(stepArbitrary, { minLength: 4, maxLength: 40 }), (steps) => {
          clock.now = Date.parse('2026-03-10T09:00:00.000Z') + lives * 1000 * HOUR
          const key = newKey(store)
          const { userId } = newUser(store, { passwordHash: 'none' })
          const studyInstanceUid = `1.2.77.${++lives}`
          for (const area of ['viewer', 'scribe'] as const)
            studies.createStudy(key, area, {
              studyInstanceUid,
              studyDescription: 'CT',
              severity: 'normal',
            })
          const is = { cancelled: false, revoked: false, without: false, keyEnded: false }
          const tokens: GivenLink[] = []
          const begun: Begun[] = []
          /** Whether what the link gives stands now. */
          const stands = (kind: LinkKind) =>
            !is.keyEnded &&
            (kind === 'ephemeral' || !is.cancelled) &&
            (kind !== 'reroute' || (!is.revoked && !is.without))

          const give = (kind: LinkKind) => {
            const either = { studyInstanceUid }
            const gives: Readonly<Record<LinkKind, () => { readonly url: string }>> = {
              viewer: () => links.viewer(key, either),
              reroute: () => links.reroute(key, { ...either, assignedToUserId: userId }),
              'viewer-only': () => links.viewerOnly(key, either),
              ephemeral: () =>
                links.ephemeral(key, 'scribe', {
                  retrievalId: 'r-1',
                  hangingProtocol: null,
                  options: null,
                } as never),
            }
            const link = given(gives[kind])
            if (typeof link === 'string') return
            const lifetime = kind === 'ephemeral' ? EPHEMERAL_LIFETIME_SECONDS * 1000 : 15 * MINUTE
            const token = new URL(link.url).searchParams.get('token') ?? ''
            tokens.push({
              token,
              kind,
              until: clock() + lifetime,
              isUsed: false,
              isWithdrawn: false,
            })
          }
          const follow = (link: GivenLink) => {
            const now = clock()
            const opened = given(() => views.byLink(link.token))
            const mayOpen =
              !link.isUsed && !link.isWithdrawn && now < link.until && stands(link.kind)
            expect([link.kind, typeof opened !== 'string']).toEqual([link.kind, mayOpen])
            if (typeof opened === 'string') return
            link.isUsed = true
            begun.push({ view: opened, kind: link.kind, since: now, usedAt: now, isOver: false })
          }
          const look = (one: Begun) => {
            const now = clock()
            const { view, token } = one.view
            expect(views.viewOf(view.viewId, `${token}x`)).toBeUndefined()
            const shown = given(() => views.viewOf(view.viewId, token))
            const isLive = typeof shown === 'object' && shown !== null
            // What was seen to be over stays over.
            if (one.isOver) expect(shown).toBeUndefined()
            else if (now >= one.since + lifeMs || now - one.usedAt >= idleMs)
              expect(shown).toBeUndefined()
            else if (!stands(one.kind)) expect([undefined, 'refused']).toContain(shown)
            // A use is noted once a minute at most.
            else if (now - one.usedAt < idleMs - MINUTE) expect(isLive).toBe(true)
            if (shown === undefined) one.isOver = true
            if (isLive) one.usedAt = now
          }
          const cancel = (how: 'cancelStudy' | 'uncancelStudy') => {
            for (const area of ['viewer', 'scribe'] as const)
              studies[how](key, area, { studyInstanceUid })
            is.cancelled = how === 'cancelStudy'
          }
          const does: Readonly<Record<Step['do'], (step: Details) => void>> = {
            give: ({ kind = 'viewer' }) => give(kind),
            follow({ at = 0 }) {
              const link = tokens[at]
              if (link) follow(link)
            },
            look({ at = 0 }) {
              const one = begun[at]
              if (one) look(one)
            },
            close({ at = 0 }) {
              const one = begun[at]
              if (!one) return
              views.close(one.view.view.viewId)
              one.isOver = true
            },
            'move the clock': ({ ms = 0 }) => clock.pass(ms),
            cancel: () => cancel('cancelStudy'),
            uncancel: () => cancel('uncancelStudy'),
            revoke() {
              users.revokeAccess(owner, userId)
              is.revoked = true
              // Links to the person are withdrawn for good; a view of theirs ends.
              for (const link of tokens) if (link.kind === 'reroute') link.isWithdrawn = true
              for (const one of begun) if (one.kind === 'reroute') one.isOver = true
            },
            'give back'() {
              users.reactivateUser(owner, userId)
              is.revoked = false
            },
            'take the right'() {
              const user = findUser(store.database, userId)
              if (user) updateUser(store.database, { ...user, canCreateReports: is.without })
              is.without = !is.without
            },
            'end the key'() {
              updateApiKey(store.database, key.apiKeyId, {
                revokedAt: new Date(clock()).toISOString(),
              })
              is.keyEnded = true
            },
          }
          for (const step of steps) does[step.do](step)
        }),
        runs(120),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})

describe('sessions of the window', () => {
  const stepArbitrary = fc.oneof(
    { weight: 2, arbitrary: fc.record({ do: fc.constant('begin' as const) }) },
    {
      weight: 7,
      arbitrary: fc.record({ do: fc.constantFrom('look' as const, 'watch' as const), at: place }),
    },
    { weight: 5, arbitrary: moves },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('lock' as const, 'unlock' as const, 'end' as const),
        at: place,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('revoke' as const, 'give back' as const) }),
    },
  )

  it(
    'open nothing while they are locked, and nothing ever again once they have ended',
    () => {
      using temp = tempStore()
      const { store, clock } = temp
      const sessions = bound(sessionService, temp.store)
      const users = bound(userService, temp.store)
      const owner = atTheWindow(newUser(store, { level: 'owner' }))
      const lockMs = temp.store.settings.get('window.lockMinutes') * MINUTE
      const lifeMs = temp.store.settings.get('window.sessionHours') * HOUR
      let lives = 0

      fc.assert(
        fc.property(fc.array(stepArbitrary, { minLength: 4, maxLength: 40 }), (steps) => {
          clock.now = Date.parse('2026-03-10T09:00:00.000Z') + ++lives * 1000 * HOUR
          const { userId } = newUser(store)
          let isRevoked = false
          const all: {
            readonly token: string
            readonly since: number
            usedAt: number
            isLocked: boolean
            isOver: boolean
          }[] = []
          for (const step of steps) {
            const now = clock()
            const one = 'at' in step ? all[step.at] : undefined
            if (step.do === 'begin') {
              const user = findUser(store.database, userId)
              if (!user || isRevoked) continue
              const { token } = sessions.beginSession(user, 'password')
              all.push({ token, since: now, usedAt: now, isLocked: false, isOver: false })
            } else if (step.do === 'move the clock') clock.pass(step.ms)
            else if (step.do === 'revoke') {
              users.revokeAccess(owner, userId)
              isRevoked = true
              for (const session of all) session.isOver = true
            } else if (step.do === 'give back') {
              users.reactivateUser(owner, userId)
              isRevoked = false
            } else if (!one) continue
            else if (step.do === 'lock') {
              sessions.lockSession(one.token)
              if (!one.isOver) one.isLocked = true
            } else if (step.do === 'unlock') {
              // Whose password was asked for: a session that has ended is not unlocked.
              if (sessions.runningSession(one.token, 'background') === undefined) {
                one.isOver = true
                continue
              }
              sessions.unlockSession(one.token)
              one.isLocked = false
              one.usedAt = now
            } else if (step.do === 'end') {
              sessions.signOut(one.token)
              one.isOver = true
            } else {
              const found = sessions.runningSession(
                one.token,
                step.do === 'watch' ? 'background' : 'person',
              )
              if (one.isOver || now >= one.since + lifeMs) {
                expect(found).toBeUndefined()
                one.isOver = true
                continue
              }
              expect(found?.user.userId).toBe(userId)
              if (one.isLocked || now - one.usedAt >= lockMs) expect(found?.isLocked).toBe(true)
              // A use is noted once a minute at most.
              else if (now - one.usedAt < lockMs - MINUTE) expect(found?.isLocked).toBe(false)
              if (found?.isLocked) one.isLocked = true
              else if (step.do === 'look') one.usedAt = now
            }
          }
        }),
        runs(120),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})

describe('invitations', () => {
  const stepArbitrary = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('renew' as const, 'revoke' as const, 'reject' as const),
        at: place,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom('open' as const, 'accept' as const), at: place }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('move the clock' as const),
        ms: fc.constantFrom(HOUR, 20 * 24 * HOUR, 31 * 24 * HOUR),
      }),
    },
  )

  it(
    'are accepted once, by the newest link alone, and by none once they were answered, withdrawn or too old',
    async () => {
      using on = peopleFixture()
      const { invitations, clock, store } = on
      let lives = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(stepArbitrary, { minLength: 1, maxLength: 12 }),
          async (steps) => {
            const email = `invited-${++lives}@partner.example`
            const { user, invitation, link } = invitations.invite(on.key, person({ email }))
            const tokens = [on.tokenOf(link)]
            const until = clock() + 30 * 24 * HOUR
            let status: 'sent' | 'accepted' | 'rejected' | 'revoked' = 'sent'
            for (const step of steps) {
              const isPending = status === 'sent' && clock() < until
              const at = 'at' in step ? step.at % tokens.length : 0
              const token = tokens[at] ?? ''
              const opens = isPending && at === tokens.length - 1
              if (step.do === 'move the clock') clock.pass(step.ms)
              else if (step.do === 'open')
                expect(typeof given(() => invitations.openInvitation(token)) === 'object').toBe(
                  opens,
                )
              else if (step.do === 'renew') {
                const renewed = given(() => invitations.renew(on.key, user.userId))
                expect(typeof renewed === 'object').toBe(isPending)
                if (typeof renewed === 'object') tokens.push(on.tokenOf(renewed.link))
              } else if (step.do === 'revoke') {
                expect(invitations.revokeInvitation(on.key, { userId: user.userId }).success).toBe(
                  isPending,
                )
                if (isPending) status = 'revoked'
              } else if (step.do === 'reject') {
                expect(given(() => invitations.rejectInvitation(token)) === undefined).toBe(opens)
                if (opens) status = 'rejected'
              } else {
                // At once from two windows: one of them is in.
                const both = await Promise.allSettled([
                  invitations.accept(token, PASSWORD),
                  invitations.accept(token, PASSWORD),
                ])
                expect(both.filter((one) => one.status === 'fulfilled')).toHaveLength(opens ? 1 : 0)
                if (opens) status = 'accepted'
              }
              expect(invitations.readInvitation(on.key, invitation.invitationId).status).toBe(
                status,
              )
              const now = findUser(store.database, user.userId)
              expect([now?.passwordHash !== null, now?.deactivatedAt === null]).toEqual([
                status === 'accepted',
                status === 'accepted' || status === 'sent',
              ])
            }
          },
        ),
        runs(40),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
