import { expect, it } from 'vitest'
import { linkedViewOf, pathWithin } from '../../../renderer/src/api/shared-study.ts'

const VIEW = '0b0f6f0e-6f0e-4c43-9a52-5f1b7a7f2d11'

it('knows the page of a link by its address, and takes nothing else for one', () => {
  expect(linkedViewOf(`#/linked/${VIEW}`)).toBe(VIEW)
  for (const hash of [
    '',
    '#/',
    '#/linked/',
    `#/linked/${VIEW}/x`,
    `#/linked/../../v1`,
    `#${VIEW}`,
    `#/reading/${VIEW}`,
  ])
    expect(linkedViewOf(hash)).toBeNull()
})

it('makes the window’s calls below the view for who came by a link, and those of the viewer where they are', () => {
  expect(pathWithin(VIEW, '/dashboard/reading/stu_1?x=1')).toBe(
    `/viewer/${VIEW}/dashboard/reading/stu_1?x=1`,
  )
  expect(pathWithin(VIEW, `/viewer/${VIEW}/close`)).toBe(`/viewer/${VIEW}/close`)
  expect(pathWithin(null, '/dashboard/session')).toBe('/dashboard/session')
})
