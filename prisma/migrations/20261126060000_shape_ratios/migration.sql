-- AlterTable
ALTER TABLE "tasks" DROP COLUMN "shape_from_input",
ADD COLUMN     "shape_ratios" TEXT[];
