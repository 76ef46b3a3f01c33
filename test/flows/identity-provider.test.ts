import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { dashboardIdentityProvider } from '#shared/contract/identity-provider.ts'
import type { Session } from '#shared/contract/people.ts'
import { freePort } from '../support/free-port.ts'
import { OWNER, type StartedGateway, startGateway } from '../support/gateway.ts'
import type { HttpAnswer } from '../support/http-call.ts'
import { CLIENT, openIdentityProvider } from '../support/identity-provider.ts'
import { ProviderBrowser } from '../support/provider-browser.ts'

// Sign-in at a real OpenID Connect provider, the package oidc-provider.

const PEOPLE = {
  rosa: {
    ...{ email: 'rosa@clinic.example', email_verified: true, groups: ['readers'] },
    ...{ given_name: 'Rosa', family_name: 'Reader' },
  },
  tim: {
    ...{ email: 'tim@clinic.example', email_verified: true, groups: ['staff', 'technologists'] },
    ...{ given_name: 'Tim', family_name: 'Tech' },
  },
  ada: { email: 'ada@clinic.example', email_verified: true, groups: ['it'] },
  nobody: { email: 'nobody@clinic.example', email_verified: true, groups: ['kitchen'] },
  olga: { email: OWNER.email, email_verified: true, groups: ['it'] },
  mallory: { email: 'rosa@clinic.example', email_verified: false, groups: ['readers'] },
  double: { email: 'rosa@clinic.example', email_verified: true, groups: ['readers'] },
}

let aheadMs = 0
let overLan: string
let stage: StartedGateway
let provider: Awaited<ReturnType<typeof openIdentityProvider>>
beforeAll(async () => {
  const port = await freePort()
  overLan = `https://127.0.0.1:${port}`
  stage = await startGateway({
    clock: () => Date.now() + aheadMs,
    overrides: {
      ...{ 'window.lockMinutes': 60, 'https.isOn': true },
      ...{ 'https.host': '127.0.0.1', 'https.port': port },
    },
  })
  provider = await openIdentityProvider(
    PEOPLE,
    [`${stage.http}/oidc/callback`, `${overLan}/oidc/callback`],
    [`${stage.http}/oidc/signed-out`],
  )
  await set({
    ...{ 'oidc.isOn': true, 'oidc.name': 'Clinic account', 'oidc.issuer': provider.issuer },
    ...{ 'oidc.clientId': CLIENT.id, 'oidc.accounts': 'create' },
    ...{ 'oidc.windowGroups': ['staff'], 'oidc.studyGroups': ['technologists'] },
    ...{ 'oidc.reportGroups': ['readers'], 'oidc.adminGroups': ['it'] },
  })
  await stage.call(dashboardIdentityProvider.setSecret, { body: { secret: CLIENT.secret } })
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const set = (settings: Record<string, unknown>) =>
  stage.call(dashboard.changeSettings, { body: { settings: settings as never } })
const browser = () => new ProviderBrowser(stage.http)
const sessionOf = (answer: HttpAnswer) => (answer.json as { session: Session }).session
const refusal = ({ status, json }: HttpAnswer) =>
  `${status} ${(json as { message?: string }).message}`
const actions = async () =>
  (await stage.call(dashboard.audit, { query: { limit: 50 } })).entries.map(
    ({ action, detail }) => `${action} ${JSON.stringify(detail)}`,
  )

describe('a first sign-in', () => {
  it('creates the account with the permissions of its groups', async () => {
    const at = browser()
    const answer = await at.signIn('tim')
    expect(answer.status).toBe(200)
    expect(sessionOf(answer)).toMatchObject({
      user: {
        ...{ email: 'tim@clinic.example', firstName: 'Tim', lastName: 'Tech', level: 'member' },
        ...{ canManageStudies: true, canCreateReports: false, hasDashboardAccess: true },
      },
      provider: { name: 'Clinic account' },
      proofs: { password: false, provider: true },
      needsSecondFactor: false,
    })
    const again = await at.call(dashboard.session)
    expect(again.json).toMatchObject({ user: { email: 'tim@clinic.example' } })
    const [signedIn, created] = await actions()
    expect(signedIn).toMatch(/^user\.sign-in .*"how":"identity provider"/)
    expect(created).toMatch(/^user\.create .*"level":"member"/)
    const { people } = await stage.call(dashboardPeople.people, { query: { search: 'Tim' } })
    expect(people).toMatchObject([{ state: 'active', invitation: null }])
  })

  it('links the account with the same verified address', async () => {
    await stage.call(dashboardPeople.invitePerson, {
      body: { ...INVITED, email: 'Rosa@clinic.example' } as never,
    })
    const answer = await browser().signIn('rosa')
    expect(sessionOf(answer).user).toMatchObject({ firstName: 'Invited', canCreateReports: true })
    expect((await actions()).join('\n')).toContain('user.link')
  })

  it.each([
    ['nobody', /^403|^4\d\d You are not in any group/],
    ['mallory', /does not state that your e-mail address is verified/],
    ['double', /belongs to another person/],
    ['olga', /Owner accounts sign in with their password/],
    ['', /was cancelled/],
  ])('is refused for %s', async (account, why) => {
    const at = browser()
    expect(refusal(await at.signIn(account))).toMatch(why)
    expect((await at.call(dashboard.session)).json).toMatchObject({ user: null })
  })

  it('that was refused is asked again who it is', async () => {
    const at = browser()
    await at.signIn('nobody')
    const promptOf = async () => {
      const { headers } = await at.open(`${stage.http}${await at.begin()}`)
      return new URL(headers.location ?? '').searchParams.get('prompt')
    }
    expect([await promptOf(), await promptOf()]).toEqual(['login', null])
  })

  it('only links accounts where the settings say so', async () => {
    await set({ 'oidc.accounts': 'link' })
    expect(refusal(await browser().signIn('ada'))).toMatch(/There is no account for you/)
    expect((await actions())[0]).toBe('user.sign-in-refused {"reason":"no account"}')
    await set({ 'oidc.accounts': 'create' })
    expect(sessionOf(await browser().signIn('ada')).user).toMatchObject({ level: 'admin' })
  })
})

describe('the window by HTTPS', () => {
  it('signs in under its own address, with cookies of TLS alone', async () => {
    const pem = readFileSync(join(stage.folder, 'tls', 'cert.pem'), 'utf8')
    const at = new ProviderBrowser(overLan, pem)
    const begun = await at.call(dashboardIdentityProvider.begin, { purpose: 'sign-in' })
    expect(begun.headers['set-cookie']?.[0]).toMatch(/^__Host-.*HttpOnly; Secure; SameSite=Strict/)
    expect(sessionOf(await at.signIn('tim')).user).toMatchObject({ firstName: 'Tim' })
    const { redirectUrls } = await stage.call(dashboardIdentityProvider.provider, {})
    expect(redirectUrls).toContain(`${overLan}/oidc/callback`)
  })
})

describe('a later sign-in', () => {
  it('changes the permissions with the groups', async () => {
    await set({ 'oidc.studyGroups': [] })
    expect(sessionOf(await browser().signIn('tim')).user).toMatchObject({ canManageStudies: false })
    expect((await actions()).join('\n')).toMatch(/user\.update .*canManageStudies/)
    await set({ 'oidc.studyGroups': ['technologists'] })
  })

  it('is refused once the access was revoked', async () => {
    const { people } = await stage.call(dashboardPeople.people, { query: { search: 'ada@' } })
    const params = { userId: people[0]?.userId as never }
    await stage.call(dashboardPeople.revokePerson, { params })
    expect(refusal(await browser().signIn('ada'))).toMatch(/Your access was revoked/)
    await stage.call(dashboardPeople.reactivatePerson, { params })
    expect((await browser().signIn('ada')).status).toBe(200)
  })
})

describe('a session of the provider', () => {
  it('is unlocked by a new sign-in of the same person', async () => {
    const at = browser()
    await at.signIn('tim')
    await at.call(dashboardSecurity.lock)
    expect((await at.call(dashboard.status)).status).toBe(401)

    at.leaveProvider()
    expect(refusal(await at.signIn('rosa', 'unlock'))).toMatch(/as another user/)
    expect((await at.call(dashboard.status)).status).toBe(401)
    at.leaveProvider()
    const opened = await at.signIn('tim', 'unlock')
    expect(sessionOf(opened)).toMatchObject({ isLocked: false })
    expect((await at.call(dashboard.status)).status).toBe(200)
  })

  it('is confirmed for privileged actions by a new sign-in', async () => {
    const at = browser()
    await at.signIn('ada')
    aheadMs = 11 * 60_000
    const body = { settings: { 'clinic.name': 'North Clinic' } }
    const { status, json } = await at.call(dashboard.changeSettings, body)
    expect([status, (json as { code?: string }).code]).toEqual([403, 'confirm-identity'])
    expect((await at.signIn('ada', 'confirm')).status).toBe(200)
    expect((await at.call(dashboard.changeSettings, body)).status).toBe(200)
    aheadMs = 0
    expect((await actions()).join('\n')).toContain('session.confirm')
  })

  it('ends at the provider too', async () => {
    const at = browser()
    await at.signIn('tim')
    const out = await at.call(dashboard.signOut)
    const { providerPath } = out.json as { providerPath: string }
    const leaving = await at.open(`${stage.http}${providerPath}`)
    expect(leaving.status).toBe(303)
    const end = new URL(leaving.headers.location ?? '')
    expect(`${end.origin}${end.pathname}`).toBe(`${provider.issuer}/session/end`)
    expect(end.searchParams.get('post_logout_redirect_uri')).toBe(`${stage.http}/oidc/signed-out`)
    expect((await at.open(end.href)).text).toContain('Signing out')
    expect((await at.call(dashboard.session)).json).toMatchObject({ user: null })
  })
})

describe('an attack', () => {
  it('cannot finish a sign-in twice, with another state, or in another browser', async () => {
    const at = browser()
    const returned = await at.atProvider(await at.begin(), 'tim')
    const { state: _, ...code } = returned
    const expired = /expired, was already finished, or was begun in another browser/
    expect(refusal(await at.finish({ ...code, state: 'another' }))).toMatch(expired)
    const victim = browser()
    await victim.begin()
    expect(refusal(await victim.finish(returned))).toMatch(expired)
    expect((await victim.call(dashboard.session)).json).toMatchObject({ user: null })
    expect((await at.finish(returned)).status).toBe(200)
    expect(refusal(await at.finish(returned))).toMatch(expired)
  })

  it('cannot use a code in another sign-in', async () => {
    const [at, other] = [browser(), browser()]
    const { code = '' } = await at.atProvider(await at.begin(), 'tim')
    const own = await other.atProvider(await other.begin(), 'rosa')
    expect(refusal(await other.finish({ ...own, code }))).toMatch(/refused the sign-in/)
    expect((await other.call(dashboard.session)).json).toMatchObject({ user: null })
  })

  it('cannot pass off another provider as this one', async () => {
    const at = browser()
    const returned = await at.atProvider(await at.begin(), 'tim')
    const answer = await at.finish({ ...returned, iss: 'https://evil.example' })
    expect(refusal(answer)).toMatch(/is not valid/)
  })

  it('cannot make the gateway redirect anywhere else', async () => {
    const at = browser()
    const begun = await at.begin()
    for (const path of [
      '/oidc/start?state=unknown&url=https://evil.example',
      '/oidc/start?url=https://evil.example',
      '/oidc/callback?state=x&redirect_uri=https://evil.example&url=//evil.example',
      `/oidc/callback?${new URLSearchParams({ state: 'a&x=//evil.example#', code: '//evil.example' })}`,
      '/oidc/signed-out?post_logout_redirect_uri=https://evil.example',
    ]) {
      const { status, headers } = await at.open(`${stage.http}${path}`)
      expect([status, headers.location]).toEqual([303, expect.stringMatching(/^\/#\/oidc/)])
    }
    // Another browser does not even get the way to the provider.
    const stolen = await browser().open(`${stage.http}${begun}`)
    expect(stolen.headers.location).toBe('/#/oidc')
  })

  it('cannot begin or finish from another page', async () => {
    const at = browser()
    const { method, path } = dashboardIdentityProvider.begin
    const answer = await fetch(`${stage.http}${path}`, {
      ...{ method, body: '{"purpose":"sign-in"}' },
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
    })
    expect(answer.status).toBe(403)
    await at.signIn('tim')
  })
})

describe('without the provider', () => {
  it('says so, and local accounts sign in', async () => {
    const stopped = await openIdentityProvider({}, [])
    await stopped[Symbol.asyncDispose]()
    await set({ 'oidc.issuer': stopped.issuer })
    const at = browser()
    const begun = await at.call(dashboardIdentityProvider.begin, { purpose: 'sign-in' })
    expect(refusal(begun)).toMatch(/^503 The identity provider cannot be reached: .*local account/)
    const local = await at.call(dashboard.signIn, OWNER)
    expect(local.status).toBe(200)
    expect(await stage.call(dashboardIdentityProvider.test, {})).toMatchObject({ success: false })
    await set({ 'oidc.issuer': provider.issuer })
    expect(await stage.call(dashboardIdentityProvider.test, {})).toMatchObject({ success: true })
  })

  it('keeps the client secret for its issuer alone', async () => {
    expect(await stage.call(dashboardIdentityProvider.provider, {})).toMatchObject({
      hasSecret: true,
      redirectUrls: expect.arrayContaining([`${stage.http}/oidc/callback`]),
    })
    await set({ 'oidc.isOn': false })
    expect((await browser().call(dashboard.session)).json).toMatchObject({ provider: null })
    await set({ 'oidc.isOn': true })
    expect(stage.log.join('\n')).not.toContain(CLIENT.secret)
  })
})

const INVITED = {
  ...{ firstName: 'Invited', lastName: 'Reader', level: 'member', clinicRole: 'Radiologist' },
  ...{ canManageStudies: false, canCreateReports: false, hasDashboardAccess: true },
}
