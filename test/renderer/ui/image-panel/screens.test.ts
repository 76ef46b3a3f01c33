import { expect, it } from 'vitest'
import {
  featuresAt,
  findOtherScreen,
  otherScreen,
} from '../../../../renderer/src/ui/image-panel/screens.ts'

const screen = (availLeft: number, availWidth: number, availHeight: number) => ({
  availLeft,
  availTop: 0,
  availWidth,
  availHeight,
})
const office = screen(0, 1920, 1080)
const diagnostic = screen(1920, 2560, 1600)
const small = screen(-1280, 1280, 1024)
const place = { left: 1920, top: 0, width: 2560, height: 1600 }

const world = (isExtended: boolean, getScreenDetails?: () => Promise<unknown>) =>
  ({ screen: { isExtended }, ...(getScreenDetails && { getScreenDetails }) }) as unknown as Window

it('puts the images on the largest screen that the report is not on', () => {
  expect(otherScreen([office, small, diagnostic], office)).toEqual(place)
  expect(otherScreen([office], office)).toBeUndefined()
  expect(featuresAt(place)).toBe('popup,left=1920,top=0,width=2560,height=1600')
})

it('asks the browser for the screens only where there is a second one', async () => {
  const details = () => Promise.resolve({ screens: [office, diagnostic], currentScreen: office })
  expect(await findOtherScreen(world(true, details))).toEqual(place)
  expect(
    await findOtherScreen(world(false, () => Promise.reject(new Error('is not to be asked')))),
  ).toBeUndefined()
})

it('does without where the browser has no such thing or the person does not allow it', async () => {
  expect(await findOtherScreen(world(true))).toBeUndefined()
  expect(
    await findOtherScreen(world(true, () => Promise.reject(new Error('NotAllowedError')))),
  ).toBeUndefined()
})
