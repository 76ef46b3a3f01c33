import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'

/**
 * What a password may not be of, beside the common ones: names and the address of who chooses it,
 * and the clinic's name.
 */
export interface PasswordOwner {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly clinicName?: string
}

/**
 * NIST SP 800-63B §5.1.1.2: long enough for a common password to be worth telling apart; shorter
 * ones are refused for their length.
 */
const SHORTEST = 10

let common: Promise<ReadonlySet<string>> | undefined

/**
 * The common passwords that are long enough, in lower case. Some 49 000 words are read for them,
 * when the first password is chosen.
 */
async function commonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const words = dictionary['passwords-common'].map((word) => String(word).toLowerCase())
  return new Set(words.filter((word) => word.length >= SHORTEST))
}

/**
 * Whether a password may be chosen. Whoever has one keeps it: only a new one is looked at.
 * @param path of the field it was typed in
 * @throws ApiError refused
 */
export async function checkPassword(
  password: string,
  owner: PasswordOwner,
  path = 'body.password',
): Promise<void> {
  const given = password.normalize('NFKC').toLowerCase()
  if ([...given].length < SHORTEST)
    throw refused(
      path,
      message('values.too-few-characters', { minimum: SHORTEST }),
      message('users.password-too-short'),
    )
  if (new Set(given).size === 1 || isOwn(given, owner))
    throw refused(path, message('users.password-guessed-field'), message('users.password-guessed'))
  common ??= commonPasswords()
  if ((await common).has(given))
    throw refused(path, message('users.password-common-field'), message('users.password-common'))
}

const PRODUCT = 'isthmus'

/**
 * The whole password is a name, the address, the clinic's or the product's name, however it is
 * written apart, and with whatever digits and marks before or behind it, such as a year.
 */
function isOwn(
  given: string,
  { email, firstName, lastName, clinicName = '' }: PasswordOwner,
): boolean {
  const plain = (text: string) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\s._-]/g, '')
  const bare = (text: string) => plain(text).replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const own = [
    email,
    email.split('@')[0] ?? '',
    firstName,
    lastName,
    firstName + lastName,
    lastName + firstName,
    clinicName,
    PRODUCT,
  ]
  const both = [clinicName + PRODUCT, PRODUCT + clinicName]
  return [...own, ...both].some(
    (text) =>
      text !== '' &&
      (plain(text) === plain(given) || (bare(text) !== '' && bare(text) === bare(given))),
  )
}

const refused = (path: string, fault: Message, explanation: Message) =>
  new ApiError('refused', explanation, { errors: [{ path, message: fault }] })
