export { type PrismaDatabase, withPrisma } from './with-prisma.js';
