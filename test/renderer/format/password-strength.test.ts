import { expect, it } from 'vitest'
import { passwordStrength } from '../../../renderer/src/format/password-strength.ts'

it.each([
  ['short', 'danger', 'Too short: 5 more characters needed'],
  ['aaaaaaaaaaaaaaaa', 'danger', 'Easy to guess: use uncommon words that are not about you'],
  ['password123456', 'danger', 'Easy to guess: use uncommon words that are not about you'],
  ['carvalho2026', 'danger', 'Easy to guess: use uncommon words that are not about you'],
  ['tulip-boat', 'warning', 'Fair: a few more words would make it strong'],
  ['harbour lantern moss', 'good', 'Strong'],
])('says of %s: %s', (password, tone, words) => {
  expect(passwordStrength(password, ['Inês', 'Carvalho', 'ines@clinic.example'])).toEqual({
    tone,
    words,
  })
})
