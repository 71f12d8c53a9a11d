import type pg from 'pg';

const PASSWORD = 'correct horse 9 battery';

/** Creates a user, and returns the cookies of a session. */
export async function signUp(
  url: string,
  email: string,
  change: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string> {
  const post = async (path: string): Promise<Response> => {
    const response = await fetch(`${url}/dashboard/api/${path}`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    if (!response.ok) {
      throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    }
    return response;
  };
  await post('sign-up');
  await change();
  const cookies = (await post('sign-in')).headers.getSetCookie();
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ');
}

/** Creates an operator, and returns the cookies of a session. The API must allow sign-ups. */
export function signUpOperator(url: string, pool: pg.Pool): Promise<string> {
  return signUp(url, 'operator@example.com', async () => {
    const found = "(SELECT id FROM auth_users WHERE email = 'operator@example.com')";
    await pool.query(`DELETE FROM account_users WHERE user_id = ${found}`);
    await pool.query("UPDATE auth_users SET role = 'operator' WHERE email = 'operator@example.com'");
  });
}
