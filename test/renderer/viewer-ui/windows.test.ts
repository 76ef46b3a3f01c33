import { describe, expect, it } from 'vitest'
import { placeOnOtherScreen } from '../../../renderer/src/viewer/second-window.ts'
import {
  openWindows,
  type WindowMessage,
  type Windows,
} from '../../../renderer/src/viewer/windows.ts'

/** A channel of so many windows, as a browser has it. */
function windowsOf(...ids: readonly string[]): readonly Windows[] {
  const channels: { onmessage: ((event: MessageEvent) => void) | null }[] = []
  return ids.map((id) => {
    const channel = {
      onmessage: null as ((event: MessageEvent) => void) | null,
      postMessage(data: unknown) {
        for (const other of channels)
          if (other !== channel) other.onmessage?.({ data: structuredClone(data) } as MessageEvent)
      },
    }
    channels.push(channel)
    return openWindows(channel, id)
  })
}

describe('windows of one view', () => {
  it('know what the others show, and forget one that is closed', () => {
    const [one, two, three] = windowsOf('1', '2', '3')
    two?.post({ kind: 'shows', series: ['a', 'b'], active: 'b' })
    three?.post({ kind: 'shows', series: [], active: null })
    expect([...(one?.others() ?? [])]).toEqual([
      ['2', { series: ['a', 'b'], active: 'b' }],
      ['3', { series: [], active: null }],
    ])
    let told = 0
    one?.subscribe(() => told++)
    two?.post({ kind: 'left' })
    expect([...(one?.others().keys() ?? [])]).toEqual(['3'])
    expect(told).toBe(1)
  })

  it('tell one another what happens, and nothing to themselves', () => {
    const [one, two] = windowsOf('1', '2')
    const heard: WindowMessage[] = []
    one?.onMessage((message) => heard.push(message))
    two?.onMessage((message) => heard.push(message))
    const scrolled = { kind: 'scrolled', seriesKey: 'a', index: 3, anchor: 0 } as const
    one?.post(scrolled)
    expect(heard).toEqual([scrolled])
  })

  it('pass over what another version of the page says', () => {
    const [one, two] = windowsOf('1', '2')
    const heard: WindowMessage[] = []
    one?.onMessage((message) => heard.push(message))
    for (const message of [
      { kind: 'other' },
      { kind: 'scrolled', seriesKey: 'a', index: -1, anchor: 0 },
      { kind: 'linked', link: 'sideways' },
      { kind: 'shows', series: [1], active: null },
      null,
    ])
      two?.post(message as never)
    expect(heard).toEqual([])
    expect(one?.others().size).toBe(0)
  })
})

describe('one more window', () => {
  const left = { availLeft: 0, availTop: 0, availWidth: 1920, availHeight: 1040 }
  const right = { ...left, availLeft: 1920, availWidth: 2048, availHeight: 2560 }

  it('fills another screen where the browser says where it is', async () => {
    const page = {
      screen: { isExtended: true },
      getScreenDetails: async () => ({ screens: [left, right], currentScreen: left }),
    }
    expect(await placeOnOtherScreen(page)).toBe('popup,left=1920,top=0,width=2048,height=2560')
  })

  it('is a plain window with one screen, without the permission, and in other browsers', async () => {
    const plain = 'popup,width=1280,height=900'
    expect(await placeOnOtherScreen({ screen: {} })).toBe(plain)
    const refusing = {
      screen: { isExtended: true },
      getScreenDetails: () => Promise.reject(new Error('denied')),
    }
    expect(await placeOnOtherScreen(refusing)).toBe(plain)
    const alone = async () => ({ screens: [left], currentScreen: left })
    expect(
      await placeOnOtherScreen({ screen: { isExtended: true }, getScreenDetails: alone }),
    ).toBe(plain)
  })
})
