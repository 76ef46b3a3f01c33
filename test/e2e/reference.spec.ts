import { expect } from '@playwright/test'
import { complaintsOf, openStage } from './stage.ts'
import { test } from './test.ts'

test('the reference of the interface is browsed from the gateway alone, under its own security policy', async ({
  browser,
}) => {
  await using stage = await openStage()
  const page = await browser.newPage()
  const complaints = complaintsOf(page)
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(stage.http) && !request.url().startsWith('data:'))
      elsewhere.push(request.url())
  })
  await page.goto(`${stage.http}/docs`)
  await expect(page.getByRole('heading', { name: /Isthmus/ })).toBeVisible()
  const operations = page.locator('.opblock')
  expect(await operations.count()).toBeGreaterThan(40)
  await page
    .getByRole('button', { name: /post .*\/v1\/viewer\/studies$/i })
    .first()
    .click()
  await expect(page.getByText('studyInstanceUid').first()).toBeVisible()
  const box = await operations.first().boundingBox()
  expect(box?.width).toBeGreaterThan(500)

  await page.goto(`${stage.http}/openapi.json`)
  const document = JSON.parse((await page.locator('body').innerText()).trim())
  expect(document.openapi).toMatch(/^3\.1/)
  expect(Object.keys(document.paths)).toContain('/v1/viewer/studies')
  expect(complaints).toEqual([])
  expect(elsewhere).toEqual([])
  await page.close()
})
