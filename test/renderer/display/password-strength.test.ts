import { expect, it } from 'vitest'
import { passwordStrength } from '../../../renderer/src/display/password-strength.ts'

it.each([
  ['short', 'danger', 'Too short: 5 more to go'],
  ['aaaaaaaaaaaaaaaa', 'danger', 'Easy to guess: use words that are not yours or well known'],
  ['password123456', 'danger', 'Easy to guess: use words that are not yours or well known'],
  ['carvalho2026', 'danger', 'Easy to guess: use words that are not yours or well known'],
  ['tulip-boat', 'warning', 'Fair: a few more words would make it strong'],
  ['harbour lantern moss', 'good', 'Strong'],
])('says of %s: %s', (password, tone, words) => {
  expect(passwordStrength(password, ['Inês', 'Carvalho', 'ines@clinic.example'])).toEqual({
    tone,
    words,
  })
})
