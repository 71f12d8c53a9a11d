export { createMailer, type Mail, type Mailer } from './create-mailer.js';
export { getSender } from './get-sender.js';
export { type MailContent, renderMail } from './render-mail.js';
