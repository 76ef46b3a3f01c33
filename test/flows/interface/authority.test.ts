import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { viewerUsers } from '#shared/contract/users.ts'
import { OWNER, sessionHeaders } from '../../support/gateway.ts'
import { clientOf, type StartedInterface, startInterface } from '../../support/interface.ts'

// A partner's key never gives or takes the right to run the gateway (docs/THREATS.md E5): the
// attacks, over HTTP.

let stage: StartedInterface
beforeAll(async () => {
  stage = await startInterface()
})
afterAll(() => stage[Symbol.asyncDispose]())

describe('a key of scope self that may manage people', () => {
  const NEW_KEY = { json: { description: 'Stolen', scope: 'all', isViewerEnabled: true } }

  it('makes nobody an administrator of the gateway, whatever level it writes', async () => {
    const params = { userId: stage.userIds.member }
    const body = { level: 'admin', hasDashboardAccess: true } as const
    const changed = await stage.keys.self.call(viewerUsers.update, { params, body })
    expect(changed.level).toBe('admin')
    const { member } = stage.users
    expect((await member.send('POST /dashboard/api-keys', NEW_KEY)).status).toBe(403)
    expect((await member.send('GET /dashboard/settings')).status).toBe(403)
    const session = (await member.send('GET /dashboard/session')).json
    expect(session).toMatchObject({ user: { level: 'member' } })
  })

  it('invites an administrator at its own address, who has no right in the gateway', async () => {
    const invited = await stage.keys.self.call(viewerUsers.invite, {
      body: {
        ...{ email: 'attacker@partner.example', firstName: 'Eve', lastName: 'Black' },
        ...{ level: 'admin', clinicRole: 'Other', canManageStudies: true, hasDashboardAccess: true },
      },
    })
    expect(invited.level).toBe('admin')
    const { userId } = invited
    // The mail of the invitation has the same link.
    const renewed = await stage.users.owner.send(`POST /dashboard/people/${userId}/invitation`)
    const token = /token=([\w-]+)/.exec((renewed.json as { link: string }).link)?.[1]
    const json = { token, password: OWNER.password }
    const accepted = await stage.nobody.send('POST /dashboard/invitation/accept', {
      json,
      headers: { 'x-isthmus-csrf': '1', 'sec-fetch-site': 'same-origin' },
    })
    expect(accepted.status).toBe(200)
    const login = { email: invited.email, password: OWNER.password }
    const attacker = clientOf(stage.http, await sessionHeaders(stage.http, login))
    expect((await attacker.send('POST /dashboard/api-keys', NEW_KEY)).status).toBe(403)
  })

  it('takes no administrator’s access', async () => {
    const { admin: userId } = stage.userIds
    const revoke = { json: { userId } }
    const close = { json: { hasDashboardAccess: false, level: 'member' } }
    expect((await stage.keys.self.send('POST /v1/viewer/users/revoke-access', revoke)).status).toBe(422)
    expect((await stage.keys.self.send(`PATCH /v1/viewer/users/${userId}`, close)).status).toBe(422)
    const lower = { json: { level: 'member' } }
    expect((await stage.keys.self.send(`PATCH /v1/viewer/users/${userId}`, lower)).status).toBe(200)
    expect((await stage.users.admin.send('GET /dashboard/settings')).status).toBe(200)
  })
})
