import * as customerService from '#server/modules/customers/service.ts'
import * as studyService from '#server/modules/studies/service.ts'
import type { Area } from '#server/modules/studies/study-queries.ts'
import { customerIdsOfUser, type UserRecord } from '#server/modules/users/queries.ts'
import * as userService from '#server/modules/users/users.ts'
import { type NewView, ViewSessions } from '#server/modules/viewer/sessions.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { linksOf } from '../../../../support/links.ts'
import { refusal } from '../../../../support/refusal.ts'
import { tempStore } from '../../../../support/temp-store.ts'

export const AT = '2026-11-20T09:00:00.000Z'

export const MINUTE = 60_000

export const HOUR = 60 * MINUTE

export const SESSION = {
  retrievalId: 'handle-of-MEIER',
  options: { deep: { list: [1, null, 'x'] } },
  hangingProtocol: { layout: '1x2', viewportAssignments: ['T1', null] },
} as const

export function stage() {
  const temp = tempStore(AT)
  const { store } = temp
  const customers = bound(customerService, temp.store)
  const links = linksOf(store)
  const ended: string[] = []
  const views = new ViewSessions(store, (viewId) => ended.push(viewId))
  const studies = bound(studyService, temp.store)
  const key = newKey(store)
  const create = (
    area: Area,
    studyInstanceUid: string,
    more: { readonly expressCustomerId?: string } = {},
  ) =>
    studies.createStudy(key, area, {
      studyInstanceUid,
      studyDescription: `${area} CT`,
      severity: 'normal',
      ...more,
    }).record.studyId
  const doctor = newUser(store)
  return {
    ...{
      ...temp,
      customers,
      links,
      views,
      studies,
      key,
      create,
      ended,
      doctor,
      users: bound(userService, temp.store),
    },
    viewed: create('viewer', '1.2.3'),
    read: create('scribe', '1.2.3'),
    /** Follows the link. */
    follow: ({ url }: { readonly url: string }) => views.byLink(tokenOf(url)),
    /** At the window as the customers of the person say. */
    at: (user: UserRecord) =>
      atTheWindow(user, customerIdsOfUser(temp.store.database, user.userId)),
    look: ({ view, token }: NewView) => views.viewOf(view.viewId, token),
    /** What is audited of links and views, oldest first. */
    trail: () =>
      store.audit
        .list({ limit: 100 })
        .items.filter(({ action }) => /^(link|view)\./.test(action))
        .map(({ actor, action, target, detail }) => ({ actor, action, target, detail }))
        .reverse(),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

export type Stage = ReturnType<typeof stage>

export const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? ''

/** What a person reads; its code before it where it is not `refused`. */
export function refusalOf(work: () => unknown): string {
  const refused = refusal(work)
  if (!refused) return 'none'
  return refused.code === 'refused' ? refused.message : refused.code
}
