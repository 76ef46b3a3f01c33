import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'

/**
 * Values that a password must not consist of, besides common passwords: the user's names and
 * address, and the clinic's name.
 */
export interface PasswordOwner {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly clinicName?: string
}

/**
 * Minimum length; shorter passwords are refused for their length, so that only longer ones are
 * checked against the common passwords (NIST SP 800-63B §5.1.1.2).
 */
const MIN_PASSWORD_LENGTH = 10

let passwordSet: Promise<ReadonlySet<string>> | undefined

/**
 * The common passwords of sufficient length, in lower case. About 49 000 words are loaded when the
 * first password is chosen.
 */
async function commonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const words = dictionary['passwords-common'].map((word) => String(word).toLowerCase())
  return new Set(words.filter((word) => word.length >= MIN_PASSWORD_LENGTH))
}

/**
 * Checks a new password. Existing passwords are not checked.
 * @param path path of the field, for the error
 * @throws ApiError refused
 */
export async function checkPassword(
  password: string,
  owner: PasswordOwner,
  path = 'body.password',
): Promise<void> {
  const given = password.normalize('NFKC').toLowerCase()
  if ([...given].length < MIN_PASSWORD_LENGTH)
    throw refused(
      path,
      message('values.too-few-characters', { minimum: MIN_PASSWORD_LENGTH }),
      message('users.password-too-short'),
    )
  if (new Set(given).size === 1 || isPersonal(given, owner))
    throw refused(path, message('users.password-guessed-field'), message('users.password-guessed'))
  passwordSet ??= commonPasswords()
  if ((await passwordSet).has(given))
    throw refused(path, message('users.password-common-field'), message('users.password-common'))
}

const PRODUCT_NAME = 'isthmus'

/**
 * Whether the whole password is a name, the address, the clinic's or the product's name, ignoring
 * separators, and with any digits and symbols before or after it, such as a year.
 */
function isPersonal(
  given: string,
  { email, firstName, lastName, clinicName = '' }: PasswordOwner,
): boolean {
  const normalizeText = (text: string) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\s._-]/g, '')
  const trimNonLetters = (text: string) =>
    normalizeText(text).replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const values = [
    email,
    email.split('@')[0] ?? '',
    firstName,
    lastName,
    firstName + lastName,
    lastName + firstName,
    clinicName,
    PRODUCT_NAME,
  ]
  const combined = [clinicName + PRODUCT_NAME, PRODUCT_NAME + clinicName]
  return [...values, ...combined].some(
    (text) =>
      text !== '' &&
      (normalizeText(text) === normalizeText(given) ||
        (trimNonLetters(text) !== '' && trimNonLetters(text) === trimNonLetters(given))),
  )
}

const refused = (path: string, fault: Message, explanation: Message) =>
  new ApiError('refused', explanation, { errors: [{ path, message: fault }] })
