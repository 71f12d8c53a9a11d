import Joi from 'joi';

/** An e-mail address and a password, as a form sends them. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Body of a form with an e-mail address and a password; checks only that both are present. */
export const credentialsSchema: Joi.ObjectSchema<Credentials> = Joi.object({
  email: Joi.string().max(254).required().messages({ '*': 'Enter an e-mail address.' }),
  password: Joi.string().max(1000).required().messages({ '*': 'Enter a password.' }),
}).required();
