import { expect, it } from 'vitest'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { englishText } from '#shared/messages/english.ts'
import { startGateway } from '../../../../support/gateway.ts'

it('asks for today’s list as the gateway itself, keeps nothing, and says how many exams came', async () => {
  await using gateway = await startGateway({ partner: { worklist: (day) => worklistDay(day) } })
  const { success, items, message } = await gateway.call(dashboard.testPartner, {})
  expect({ success, items }).toEqual({ success: true, items: 24 })
  expect(englishText(message)).toMatch(
    /^The partner responded with 24 exams for today in \d+ ms\.$/,
  )
  expect(gateway.partner.last?.data).toMatchObject({ callingAe: 'ISTHMUS', sourceIp: '127.0.0.1' })
  expect(await gateway.call(dashboard.inspections, { query: {} })).toMatchObject({
    inspections: [],
  })
  expect(await gateway.call(dashboard.status, {})).toMatchObject({
    partner: { state: 'up', lastOkAt: null },
  })
})

it('says what is wrong, also while the circuit is open', async () => {
  await using gateway = await startGateway({ partner: { scenario: 'down' } })
  for (let call = 0; call < 6; call++)
    expect(await gateway.call(dashboard.testPartner, {})).toMatchObject({
      success: false,
      items: null,
      message: expect.stringMatching(/^The partner sent no worklist: /),
    })
  gateway.partner.setScenario('refuse')
  expect(await gateway.call(dashboard.testPartner, {})).toMatchObject({
    success: false,
    message: 'The partner responded, but refused the request: no worklist for this AE.',
  })
  gateway.partner.setScenario('normal')
  expect(await gateway.call(dashboard.testPartner, {})).toMatchObject({ success: true })
})

it('says that no partner is set', async () => {
  await using gateway = await startGateway({ partner: null })
  expect(await gateway.call(dashboard.testPartner, {})).toMatchObject({
    success: false,
    message: 'The partner sent no worklist: no partner is configured for this event.',
  })
})
