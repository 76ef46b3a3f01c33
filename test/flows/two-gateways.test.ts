import { describe, expect, it } from 'vitest'
import { OWNER, startGateway } from '../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'

/** A browser: its cookies are of a host, whatever the port (RFC 6265 §8.5). */
function openBrowser() {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async call(method: string, url: string, json?: unknown) {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
      const answer = await httpCall(url, { method, headers: { ...OWN_PAGE, cookie }, json })
      for (const set of answer.headers['set-cookie'] ?? []) {
        const [name = '', value = ''] = set.split(';')[0]?.split('=') ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      return answer
    },
  }
}

describe('two gateways on one PC', () => {
  it('sign each other neither in nor out in the same browser', async () => {
    await using first = await startGateway({ partner: null })
    await using second = await startGateway({ partner: null })
    const browser = openBrowser()
    const statusOf = async ({ http }: { http: string }) =>
      (await browser.call('GET', `${http}/dashboard/status`)).status

    expect((await browser.call('POST', `${first.http}/dashboard/session`, OWNER)).status).toBe(200)
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 401])
    expect((await browser.call('POST', `${second.http}/dashboard/session`, OWNER)).status).toBe(200)
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
    await browser.call('DELETE', `${second.http}/dashboard/session`)
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 401])
  })

  it('take over the session of a browser that has its cookie by the old name, without ending the other one’s', async () => {
    await using first = await startGateway({ partner: null })
    await using second = await startGateway({ partner: null })
    const browser = openBrowser()
    await browser.call('POST', `${first.http}/dashboard/session`, OWNER)
    const [[name, token] = ['', '']] = browser.cookies
    // As the version before gave it out.
    browser.cookies.delete(name)
    browser.cookies.set('isthmus-session', token)
    const session = async ({ http }: { http: string }) =>
      (
        (await browser.call('GET', `${http}/dashboard/session`)).json as {
          user: { email: string } | null
        }
      ).user?.email

    expect([await session(second), await session(first)]).toEqual([undefined, OWNER.email])
    expect(browser.cookies.get(name)).toBe(token)
    // A gateway that was not updated yet signs in under the old name.
    browser.cookies.set('isthmus-session', 'x'.repeat(43))
    expect(await session(first)).toBe(OWNER.email)
  })
})
