import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { isForSandbox } from '#server/http/sandbox-requests.ts'

const KEY = `Bearer sk_test_${'0'.repeat(32)}`

function requestOf(url: string, authorization?: string) {
  const headers = authorization === undefined ? {} : { authorization }
  return { url, headers } as IncomingMessage & { originalUrl?: string }
}

describe('a request', () => {
  it.each([
    ['/v1/express', KEY],
    ['/v1/sandbox', KEY.replace('Bearer', 'bearer')],
    ['/dicom-web/studies?limit=1', KEY],
    ['/sandbox/study/stu_1?token=a', undefined],
    ['/sandbox/token/landing?token=a', undefined],
    ['/sandbox/viewer', undefined],
    ['/sandbox/viewer/1/images', undefined],
    ['/sandbox/reports/rep_1/pdf?expires=1', undefined],
  ])('for %s is for the sandbox', (url, authorization) => {
    expect(isForSandbox(requestOf(url, authorization))).toBe(true)
  })

  it.each([
    ['/v1/express', undefined],
    ['/v1/express', 'Bearer sk_live_00000000000000000000000000000000'],
    ['/v1/express?key=sk_test_0', undefined],
    // The window and its calls are those of the live gateway, whatever key comes along.
    ['/dashboard/status', KEY],
    ['/metrics', KEY],
    ['/sandbox/dashboard/session', undefined],
    ['/sandbox/', undefined],
    ['/sandbox/v1/express', undefined],
    ['/sandbox/viewers', undefined],
    ['/study/stu_1?token=a', KEY],
  ])('for %s is for the live gateway', (url, authorization) => {
    const request = requestOf(url, authorization)
    expect([isForSandbox(request), request.url]).toEqual([false, url])
  })

  it('for a link loses the prefix, which stays in the original URL', () => {
    const request = requestOf('/sandbox/study/stu_1?token=a')
    isForSandbox(request)
    expect(request).toMatchObject({
      url: '/study/stu_1?token=a',
      originalUrl: '/sandbox/study/stu_1?token=a',
    })
  })
})
