// biome-ignore lint/suspicious/noExplicitAny: replies of many calls, read by the pictures alone
export type Reply = any

export async function eventually<T>(look: () => Promise<T>): Promise<NonNullable<T>> {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`It did not come to pass: ${look}`)
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Reply>

/** A person at the window: the cookie of the session, and calls below `/dashboard/`. */
export async function signIn(
  http: string,
  name: string,
  password: string,
): Promise<{ readonly cookie: string; readonly call: Call }> {
  const headers = { 'x-isthmus-csrf': '1', origin: http }
  const json = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email: `${name}@clinic.example`, password })
  const session = await fetch(`${http}/dashboard/session`, {
    method: 'POST',
    headers: { ...headers, ...json },
    body,
  })
  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return {
    cookie,
    async call(method, path, given) {
      const answer = await fetch(`${http}/dashboard/${path}`, {
        method,
        headers: { ...headers, cookie, ...(given !== undefined && json) },
        ...(given !== undefined && { body: JSON.stringify(given) }),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return answer.json()
    },
  }
}
