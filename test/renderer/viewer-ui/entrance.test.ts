import { describe, expect, it } from 'vitest'
import { View, viewing } from '#shared/contract/viewing.ts'
import { CONTRACT_VERSION, CONTRACT_VERSION_HEADER } from '#shared/contract-version.ts'
import { verbatim } from '#shared/messages/message.ts'
import { openClient } from '../../../renderer/src/api/client.ts'
import { enter, entranceOf } from '../../../renderer/src/viewer/entrance.ts'

const VIEW_ID = '0d3f7a52-6a4e-4a43-9f4e-2f6a7c1d9b10'
const view = (more: Partial<View> = {}): View =>
  View.parse({
    ...{
      viewId: VIEW_ID,
      kind: 'viewer',
      area: 'viewer',
      studyId: null,
      studyInstanceUid: '1.2.3',
      studyDescription: 'CT',
    },
    ...{
      user: null,
      mayDictate: false,
      hangingProtocol: null,
      whyNoCapture: null,
      whyNoExport: null,
      expiresAt: '2026-11-22T12:00:00.000Z',
    },
    ...more,
  })
const reply = (of: View) =>
  Response.json(of, { headers: { [CONTRACT_VERSION_HEADER]: CONTRACT_VERSION } })
const refusal = (message: string) =>
  Response.json(
    {
      type: 'about:blank',
      title: 'Refused',
      status: 422,
      detail: message,
      instance: '/',
      message,
      explanation: verbatim(message),
      code: 'refused',
      errors: [],
    },
    { status: 422 },
  )

/** A page whose gateway answers so. */
function page(answer: () => Response) {
  const asked: string[] = []
  const names: string[] = []
  const left: string[] = []
  const call = openClient({
    fetch: (input, init) => {
      asked.push(`${init?.method} ${String(input)}`)
      try {
        return Promise.resolve(answer())
      } catch (error) {
        return Promise.reject(error)
      }
    },
    origin: '',
  })
  return {
    asked,
    names,
    left,
    world: {
      call,
      rename: (to: string) => names.push(to),
      leaveFor: (to: string) => left.push(to),
    },
  }
}

describe('the way into the viewer', () => {
  it('reads a token before a view, and nothing from an address that says nothing', () => {
    expect(entranceOf({ search: '?token=abc', hash: '' })).toEqual({ by: 'token', token: 'abc' })
    expect(entranceOf({ search: '?token=abc', hash: `#${VIEW_ID}` })).toEqual({
      by: 'token',
      token: 'abc',
    })
    expect(entranceOf({ search: '', hash: `#${VIEW_ID}` })).toEqual({ by: 'view', viewId: VIEW_ID })
    expect(entranceOf({ search: '', hash: '#nonsense' })).toEqual({ by: 'nothing' })
    expect(entranceOf({ search: '?token=', hash: '' })).toEqual({ by: 'nothing' })
  })

  it('exchanges a token once, and names the view alone in the address', async () => {
    const { world, asked, names, left } = page(() => reply(view()))
    expect(await enter({ by: 'token', token: 'abc' }, world)).toEqual({
      state: 'open',
      view: view(),
    })
    expect(asked).toEqual([`POST ${viewing.open.path}`])
    expect(names).toEqual([`/viewer#${VIEW_ID}`])
    expect(left).toEqual([])
  })

  it('leaves for the reading screen where the link is for dictation too', async () => {
    const { world, names, left } = page(() => reply(view({ kind: 'reroute', mayDictate: true })))
    expect(await enter({ by: 'token', token: 'abc' }, world)).toEqual({ state: 'leaving' })
    expect(left).toEqual([`/#/linked/${VIEW_ID}`])
    expect(names).toEqual([])
  })

  it('goes on with a view after a reload, also inside the reading screen', async () => {
    const { world, asked, left } = page(() => reply(view({ kind: 'reroute', mayDictate: true })))
    expect(await enter({ by: 'view', viewId: VIEW_ID }, world)).toMatchObject({ state: 'open' })
    expect(asked).toEqual([`GET /viewer/${VIEW_ID}`])
    expect(left).toEqual([])
  })

  it('says in the words of the gateway why a link does not open', async () => {
    const { world } = page(() => refusal('This link was used already.'))
    expect(await enter({ by: 'token', token: 'abc' }, world)).toMatchObject({
      state: 'closed',
      why: 'link',
      sentence: 'This link was used already.',
      isFinal: true,
    })
    expect(await enter({ by: 'view', viewId: VIEW_ID }, world)).toMatchObject({
      why: 'view',
      isFinal: true,
    })
    expect(await enter({ by: 'nothing' }, world)).toEqual({
      state: 'closed',
      why: 'nothing',
      sentence: '',
      isFinal: true,
    })
  })

  it('may be tried again where nobody answers', async () => {
    const { world } = page(() => {
      throw new TypeError('Failed to fetch')
    })
    expect(await enter({ by: 'token', token: 'abc' }, world)).toMatchObject({
      state: 'closed',
      why: 'unreachable',
      isFinal: false,
    })
  })
})
