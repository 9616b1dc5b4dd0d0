import type { RefreshTokenRequest } from "../../service/contract/types";
import type { Handler } from "../service";

export const refreshToken: Handler<RefreshTokenRequest> = ({ credentials, behaviour }, { fields }) => ({
  data: credentials.refresh(fields.refresh_token, behaviour),
});
