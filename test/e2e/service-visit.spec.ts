import { readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { echoscu, findscu } from '../support/dcmtk.ts'
import { type Clinic, openClinic } from './clinic.ts'
import { faultsByScheme } from './stage.ts'
import { test } from './test.ts'

// The page for a device's engineer.

let clinic: Clinic
test.beforeAll(async () => {
  clinic = await openClinic()
})
test.afterAll(() => clinic[Symbol.asyncDispose]())

test('an engineer tests a device in both directions, sees its messages and takes a log along', async ({
  browser,
}) => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce' })
  await clinic.enter(context, 'owner')
  const page = await context.newPage()
  const port = Number(clinic.stage.dimsePort)
  await page.goto(`${clinic.stage.http}/#/devices`)
  await page.getByRole('link', { name: 'Service page for CT, room 1' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Service page for CT, room 1')

  await page.getByRole('button', { name: 'Wait for an echo' }).click()
  await expect(page.getByText('Waiting for an echo from the device.')).toBeVisible()
  expect(await echoscu(port)).toBe(true)
  await expect(page.getByText('The device’s echo was received')).toBeVisible()
  await expect(
    page.getByText('from CT1 at 127.0.0.1; the gateway responded “Success”'),
  ).toBeVisible()

  await findscu({ port, args: ['-k', 'PatientName=CANARIO^ELVIRA', '-k', 'Modality=CT'] })
  const connection = page.locator('details').filter({ hasText: 'replaced (14 bytes)' }).first()
  await expect(connection).toContainText('1 message')
  await connection.locator('summary').first().click()
  await connection.locator('summary').filter({ hasText: 'C-FIND-RQ' }).click()
  const name = connection.getByRole('row').filter({ hasText: 'Patient Name' })
  await expect(name).toContainText('replaced (14 bytes)')
  expect(await faultsByScheme(page, 'service-visit')).toEqual({})
  await connection.getByRole('button', { name: 'Show patient data…' }).click()
  await expect(page.getByText('CANARIO^ELVIRA')).toBeVisible()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save log' }).click()
  await page.getByRole('menuitem', { name: 'As text' }).click()
  const saved = readFileSync(await (await download).path(), 'utf8')
  expect(saved).toContain('C-FIND-RQ')
  expect(saved).not.toContain('CANARIO')
  await context.close()
})
