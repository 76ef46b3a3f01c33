import { expect, it } from 'vitest'
import { openFlights } from '#server/modules/worklist/single-flight.ts'

const never = new AbortController().signal

it('does the work once for all who ask meanwhile, and again for who asks later', async () => {
  const flights = openFlights<number>()
  let begun = 0
  const gate = Promise.withResolvers<number>()
  const work = () => {
    begun++
    return gate.promise
  }
  const both = [flights.join('a', work, never), flights.join('a', work, never)]
  expect(flights.isUnderWay('a')).toBe(true)
  gate.resolve(7)
  expect(await Promise.all(both)).toEqual([7, 7])
  expect(await flights.join('a', async () => 8, never)).toBe(8)
  expect(begun).toBe(1)
})

it('lets one leave without the others, and ends the work with the last', async () => {
  const flights = openFlights<number>()
  const [one, two] = [new AbortController(), new AbortController()]
  let given: AbortSignal | undefined
  const work = (signal: AbortSignal) => {
    given = signal
    return new Promise<number>(() => undefined)
  }
  const first = flights.join('a', work, one.signal)
  const second = flights.join('a', work, two.signal)
  one.abort('first gone')
  await expect(first).rejects.toBe('first gone')
  expect(given?.aborted).toBe(false)
  two.abort('second gone')
  await expect(second).rejects.toBe('second gone')
  expect(given?.reason).toBe('second gone')
  expect(flights.isUnderWay('a')).toBe(false)
})

it('tells everybody of a failure, and leaves no rejection unheard when nobody waits', async () => {
  const flights = openFlights<number>()
  const gate = Promise.withResolvers<number>()
  const controller = new AbortController()
  const left = flights.join('a', () => gate.promise, controller.signal)
  controller.abort('gone')
  await expect(left).rejects.toBe('gone')
  gate.reject(new Error('too late'))
  await expect(
    Promise.all(
      [1, 2].map(() => flights.join('b', () => Promise.reject(new Error('down')), never)),
    ),
  ).rejects.toThrow('down')
})

it('begins nothing for who has left already', async () => {
  const flights = openFlights<number>()
  await expect(flights.join('a', async () => 1, AbortSignal.abort('gone'))).rejects.toBe('gone')
  expect(flights.isUnderWay('a')).toBe(false)
})
