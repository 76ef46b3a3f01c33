import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Session } from './people.ts'

/**
 * sign-in: begins a session. unlock, confirm: the user of the session shows again who they are, at
 * the provider, for a locked window or a privileged action.
 */
export const SignInPurpose = z.enum(['sign-in', 'unlock', 'confirm'])
export type SignInPurpose = z.infer<typeof SignInPurpose>

/** The paths that a browser opens on its way to the identity provider and back. */
export const PROVIDER_START_PATH = '/oidc/start'
export const PROVIDER_CALLBACK_PATH = '/oidc/callback'
/** Where the provider sends the browser after its own session has ended. */
export const PROVIDER_END_PATH = '/oidc/signed-out'

const Text = (most: number) => z.string().min(1).max(most)

/** Sign-in at the identity provider of the clinic (decision 0067). */
export const dashboardIdentityProvider = {
  // Public, because nobody is signed in yet, or the session is locked; the handlers check the
  // session where the purpose needs one.
  begin: operation('POST /dashboard/session/provider', {
    access: 'public',
    summary: 'Start a sign-in at the identity provider',
    body: z.object({ purpose: SignInPurpose }),
    /** The path to open in the browser, which leads to the provider. */
    reply: z.object({ path: z.string() }),
  }),
  finish: operation('POST /dashboard/session/provider/finish', {
    access: 'public',
    summary: 'Complete a sign-in with the response of the identity provider',
    /** The parameters of RFC 6749 §4.1.2 and RFC 9207, as the browser received them. */
    body: z.object({
      state: Text(200),
      code: Text(4000).optional(),
      iss: Text(500).optional(),
      error: Text(200).optional(),
    }),
    reply: z.object({ purpose: SignInPurpose, session: Session }),
  }),
  provider: operation('GET /dashboard/identity-provider', {
    access: 'manage',
    background: true,
    summary: 'Whether the client secret is set, and the addresses to register at the provider',
    reply: z.object({
      hasSecret: z.boolean(),
      redirectUrls: z.array(z.string()),
      signedOutUrls: z.array(z.string()),
    }),
  }),
  setSecret: operation('PUT /dashboard/identity-provider/secret', {
    access: 'manage-confirmed',
    summary: 'Set or remove the client secret of the gateway at the identity provider',
    /** Null removes it. */
    body: z.object({ secret: z.string().trim().min(1).max(1000).nullable() }),
    reply: z.object({ success: z.literal(true) }),
  }),
  test: operation('POST /dashboard/identity-provider/test', {
    access: 'manage',
    summary: 'Read the configuration and the keys of the identity provider',
    reply: z.object({ success: z.boolean(), message: Message }),
  }),
} as const
