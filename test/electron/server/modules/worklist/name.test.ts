import { expect, it } from 'vitest'
import { foldName } from '#server/modules/worklist/name.ts'

it.each([
  ['SMITH^JOHN^^', ['smith^john']],
  ['Müller ^ Änne', ['muller^anne']],
  ['MÜLLER', ['muller']],
  ['Straße', ['strasse']],
  ['Ｓｍｉｔｈ', ['smith']],
  ['ПЁТР', ['петр']],
  ['ΔΙΟΝΥΣΙΟΣ', ['διονυσιοσ']],
  ['Διονύσιος', ['διονυσιοσ']],
  ['Yamada=山田=やまだ', ['yamada', '山田', 'やまだ']],
  ['홍^길동', ['홍^길동']],
  ['A=B=C=D', ['a', 'b', 'c']],
  ['Ｓｍｉｔｈ ^^', ['smith']],
  ['Ångström', ['angstrom']],
  ['ſmith', ['smith']],
  ['が', ['が']],
  ['', ['']],
])('folds %s to %j', (name, groups) => expect(foldName(name)).toEqual(groups))
